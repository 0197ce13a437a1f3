"""Commands that talk to a running stack."""
