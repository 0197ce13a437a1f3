"""Auto-stop: rules that pause a running experiment with a clear result. Pure: they read counts and decide."""
