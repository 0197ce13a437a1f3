"""Shops, keys, defaults, the reference, and every management address that is no route."""
