"""Public files of shops over HTTP."""
