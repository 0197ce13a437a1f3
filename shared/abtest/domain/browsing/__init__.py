"""Windows of browsers. Browsers themselves are elsewhere."""
