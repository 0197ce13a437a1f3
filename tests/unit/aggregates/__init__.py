"""One suite for what every family of aggregates promises."""
