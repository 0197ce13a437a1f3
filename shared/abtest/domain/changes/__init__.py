"""Rules that changes of every kind of aggregate share: states, live edits, differences for the audit."""
