"""Landing pages and content briefs over HTTP."""
