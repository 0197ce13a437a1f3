"""Sign-in to the console: sessions and people."""
