"""Auto-stop: pauses running experiments with enough evidence."""
