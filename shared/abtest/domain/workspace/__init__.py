"""Files of a shop's team: briefs, notes, data, and what the service generates."""
