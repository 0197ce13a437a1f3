"""Routes of the workspace family."""
