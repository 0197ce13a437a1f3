"""The event ledger: what an event must look like, what a row is, and how rows become counts. Pure."""
