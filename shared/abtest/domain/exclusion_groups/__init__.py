"""Exclusion groups: experiments that share the traffic, so that nobody is in two of them."""
