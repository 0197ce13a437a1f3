"""Exports: orders of datasets, the rows that belong to them, and the columns of their files."""
