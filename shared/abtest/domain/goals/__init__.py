"""Goals: the measures of an experiment, and the rules that each of them obeys."""
