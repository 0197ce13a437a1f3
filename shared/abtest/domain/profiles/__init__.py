"""Profile of a store: what its pages show of its platform, tools and brand, with the evidence for each statement."""
