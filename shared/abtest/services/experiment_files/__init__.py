"""Experiments as files: read, planned, applied."""
