"""Experiments with their variations and goals."""
