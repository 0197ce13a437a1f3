"""Shops, keys, defaults, the reference, and unknown addresses of the management API."""
