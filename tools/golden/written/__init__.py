"""Questions whose right answers were written by hand, from docs/data-model.md and from what others published."""
