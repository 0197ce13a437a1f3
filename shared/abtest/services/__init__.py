"""Use cases: load the aggregate, let the domain decide, make one commit."""
