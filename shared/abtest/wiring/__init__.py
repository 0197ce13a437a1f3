"""Composition roots: the only room that reads the environment and selects the adapter of each port."""
