"""Pages and audiences that a shop keeps for reuse, and who refers to them."""
