"""The nightly audit of counts."""
