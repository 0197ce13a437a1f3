"""Statistics from sufficient statistics: pure functions on `math` and `scipy.special`; decisions are made elsewhere.

Throughout: difference = treatment - control; intervals are two-sided at level 1 - alpha; None means not evaluable.
"""
