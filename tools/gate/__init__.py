"""The gate's pytest runs: which folder belongs to which run, what it may cost, and how the counts are added up."""
