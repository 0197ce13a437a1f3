"""Use cases of experiments: each loads the aggregate, lets the domain decide, makes one commit, then publishes."""
