"""People who sign in to the console: their sessions and their roles. Pure functions."""
