"""Guardian: what is wrong with a running experiment, by rules over its counts. Pure; nothing is read or told here."""
