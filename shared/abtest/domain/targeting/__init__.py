"""Where an experiment runs: URL rules, page rules and how they combine. Audiences are not here yet."""
