"""Use cases of personalizations: each loads the aggregate, lets the domain decide, makes one commit, then publishes."""
