"""Delivery to shoppers: compilation of what a shop runs into configs, and of a config into the snippet."""
