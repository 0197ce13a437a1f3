"""Rules on uploaded files: accepted types, names, structure of containers, sanitised SVG. Pure."""
