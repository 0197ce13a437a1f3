"""Auto-stop: when a running experiment has shown enough to be paused. Pure; reads counts, decides, changes nothing."""
