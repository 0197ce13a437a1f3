"""Data-layer triggers: what pages push, read as revenue, properties and attributes."""
