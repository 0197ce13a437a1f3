"""One module an idea."""
