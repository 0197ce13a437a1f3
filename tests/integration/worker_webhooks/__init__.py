"""The worker of webhooks."""
