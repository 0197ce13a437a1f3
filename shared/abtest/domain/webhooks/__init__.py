"""Webhooks: endpoints, the events they can subscribe to, deliveries and their states, signed messages."""
