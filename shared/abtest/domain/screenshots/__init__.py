"""Screenshot jobs: their orders, and what became of each picture. Browsers are elsewhere."""
