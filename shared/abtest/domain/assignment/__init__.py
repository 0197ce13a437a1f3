"""Deterministic assignment: hashing, cut points, buckets. docs/data-model.md section 2 is its specification."""
