"""Conformance tool: reads questions as JSON lines and answers each, to check another implementation."""
