"""Planning a test before it runs: sample sizes, power, how long it takes, the plan that is frozen at launch.

Needs the normal distribution only, from the standard library, so that whoever launches a test reaches no scipy.
"""
