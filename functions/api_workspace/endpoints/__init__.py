"""Endpoints, one module per subject."""
