"""The management API of personalizations."""
