"""The nightly seals."""
