"""Endpoints of the analytics family, one module per subject."""
