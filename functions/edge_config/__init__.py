"""Runtime config of a shop: `GET /api/exp`."""
