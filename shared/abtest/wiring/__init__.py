"""Composition roots: the only room that reads the environment and knows which adapter stands behind which port."""
