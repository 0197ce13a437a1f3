"""Hands on what was promised and not done, each minute."""
