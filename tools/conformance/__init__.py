"""The conformance tool: reads questions as JSON lines and answers each, for whoever checks another implementation."""
