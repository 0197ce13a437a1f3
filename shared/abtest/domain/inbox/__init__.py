"""The inbox of a shop."""
