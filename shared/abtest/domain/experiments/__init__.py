"""Experiments: the aggregate, its rules, its state machine."""
