"""Endpoints, one module an idea."""
