"""The A/B testing service: one package, its rooms and who may enter them are described in docs/architecture.md."""
