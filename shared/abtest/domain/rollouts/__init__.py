"""Rollout of flags and personalizations to a share of the visitors: states, and edits while active."""
