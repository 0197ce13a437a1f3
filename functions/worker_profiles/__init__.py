"""Reads stores for their profiles, as messages of ProfileQueue demand."""
