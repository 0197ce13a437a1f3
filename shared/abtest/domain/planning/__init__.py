"""Plan of a test before it runs: sample sizes, power, duration, and the snapshot that is frozen at launch.

Uses only the normal distribution of the standard library, so that a launch does not import scipy.
"""
