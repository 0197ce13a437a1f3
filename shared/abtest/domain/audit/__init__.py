"""Evidence that audit rows were not changed: Merkle trees of days, chained."""
