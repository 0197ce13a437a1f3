"""Use cases of data-layer triggers."""
