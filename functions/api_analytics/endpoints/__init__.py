"""Endpoints of the analytics family, one module an idea."""
