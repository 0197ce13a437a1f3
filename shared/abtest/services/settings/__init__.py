"""Use cases of runtime settings: each reads one setting, decides, makes one commit, then publishes."""
