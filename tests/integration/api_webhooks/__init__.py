"""The webhooks family."""
