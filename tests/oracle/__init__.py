"""Statistics against implementations that are not ours."""
