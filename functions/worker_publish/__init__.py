"""Publishes the shops in PublishQueue."""
