"""Simulation of the statistics' promises: errors with peeking, power, coverage, Guardian's alarms and delays."""
