"""Sessions, roles and the strength of a sign-in."""
