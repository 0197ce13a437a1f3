"""Text of PDF documents by pypdf, in a process with limits. It imports nothing: that process runs a module of it."""
