"""Publishes the shops that PublishQueue names."""
