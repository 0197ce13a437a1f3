"""Exports: what can be ordered, which rows belong to it, and what its files hold."""
