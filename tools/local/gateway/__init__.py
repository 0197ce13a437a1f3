"""API Gateway's HTTP API, payload format 2.0: routes, events and responses."""
