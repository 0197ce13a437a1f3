"""Engines that count over the ledger."""
