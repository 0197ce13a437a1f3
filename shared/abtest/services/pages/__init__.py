"""Use cases of landing pages and content briefs."""
