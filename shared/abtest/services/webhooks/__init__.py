"""Webhooks of shops: endpoints and their secrets, events that become deliveries, deliveries that are sent."""
