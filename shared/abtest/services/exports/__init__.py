"""Exports: requested by a shop, made by a worker."""
