"""Jobs: records of work that outlasts a request, and of its progress. The work itself is elsewhere."""
