"""Group-sequential designs: few or many planned looks at a test, with its error spent over them.

Units throughout: a fraction is information over planned information, where information is 1 / Var(difference); z is the
difference over its standard error, positive where the treatment is ahead; a drift is the expected z at fraction 1.
"""
