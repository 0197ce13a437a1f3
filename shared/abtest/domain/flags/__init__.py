"""Feature flags: a value that is switched, rolled out and targeted."""
