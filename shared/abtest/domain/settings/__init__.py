"""Shops and their settings, which hold for all their experiments."""
