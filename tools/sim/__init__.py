"""What the statistics promise, simulated: errors with peeking, power, coverage, Guardian's alarms and delays."""
