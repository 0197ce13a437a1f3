"""Sign-in to the console: sessions, admission by them, and the people who have them."""
