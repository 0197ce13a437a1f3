"""The AWS engine behind the stack: its process, its environment and its saved state."""
