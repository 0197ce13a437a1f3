"""Exclusion groups: experiments that share the traffic, so that each visitor is in at most one."""
