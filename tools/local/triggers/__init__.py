"""Triggers of functions besides HTTP: queues and schedules."""
