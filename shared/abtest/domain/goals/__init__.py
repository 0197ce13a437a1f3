"""Goals: what an experiment measures; how they are made, ordered, checked."""
