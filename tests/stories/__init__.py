"""A month of a shop in virtual time, through the real services: what is told is what the sent events say, once each."""
