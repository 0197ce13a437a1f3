"""Data-layer triggers without a network."""
