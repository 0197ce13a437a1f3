"""Ideas for experiments."""
