"""The management API of webhooks."""
