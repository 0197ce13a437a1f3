"""Checks versions of landing pages, as messages of PageQueue demand."""
