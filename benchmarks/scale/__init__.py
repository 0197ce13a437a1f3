"""Counting at scale: many shops made by a seed, counted by the real services in processes of their own."""
