"""Programs that the cold start of functions is compared with."""
