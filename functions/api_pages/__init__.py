"""The management API of landing pages."""
