"""Screenshot jobs: ordered by shops, made by a worker with a browser."""
