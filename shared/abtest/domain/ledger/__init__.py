"""The event ledger: the form of events and rows, and how rows become counts. Pure."""
