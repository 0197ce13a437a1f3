"""Compares the parts of the nightly sample in AuditQueue with the raw ledger."""
