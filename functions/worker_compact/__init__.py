"""Compacts the hours and groups of shops in CompactQueue."""
