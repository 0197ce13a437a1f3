"""Exports: ordered and shown to a shop, and carried out by a worker."""
