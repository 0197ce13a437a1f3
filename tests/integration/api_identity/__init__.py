"""Sign-in to the console."""
