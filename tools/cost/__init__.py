"""What a million events cost on AWS: prices as data, assumptions as options, a table as the answer."""
