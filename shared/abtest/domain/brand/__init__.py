"""Brand context of a shop: its voice, what is banned, and what needs proof."""
