"""A shop and what it sets for all its experiments."""
