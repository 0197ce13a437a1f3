"""Evidence of the audit."""
