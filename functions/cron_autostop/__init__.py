"""Auto-stop: running experiments that have shown enough are paused."""
