"""Cost of a million events on AWS: prices as data, assumptions as options, a table as the answer."""
