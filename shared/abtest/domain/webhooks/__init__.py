"""Webhooks: endpoints, the events they may ask for, deliveries and their moves, what is sent and how it is signed."""
