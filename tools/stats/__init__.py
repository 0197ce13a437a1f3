"""Statistics for people and simulations: the formulas of `abtest.domain.stats` over arrays, and from a notebook."""
