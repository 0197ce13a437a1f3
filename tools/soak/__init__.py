"""A million events through a local stack of its own: as many distinct ones must come out of the ledger."""
