"""The audit over the API, and its evidence: rows, seals, proofs, verification."""
