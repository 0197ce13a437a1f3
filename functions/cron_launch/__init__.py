"""Scheduled starts and ends."""
