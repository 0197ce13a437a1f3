"""The nightly seals of the audit."""
