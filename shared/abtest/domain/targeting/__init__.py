"""Targeting: URL rules, page rules, audiences, and how they combine."""
