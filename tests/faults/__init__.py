"""Everything between a shopper and a result, while processes die, messages repeat and events come late."""
