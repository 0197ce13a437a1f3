"""One file a claim; each prints a ratio against a named baseline measured in the same run, with memory."""
