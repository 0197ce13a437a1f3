"""Use cases of pages, audiences and exclusion groups, and of what refers to them."""
