"""Preview proxy: pages of a shop with a variation, under an origin of this service."""
