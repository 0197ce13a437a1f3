"""Safety of running experiments."""
