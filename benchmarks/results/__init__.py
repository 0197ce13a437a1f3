"""The same counts of one ledger by three engines; each file runs in a process of its own."""
