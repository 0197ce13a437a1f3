"""The same question about one ledger, asked of three engines; each file runs in a process of its own."""
