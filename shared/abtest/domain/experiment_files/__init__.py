"""Files of an experiment: its whole design as text that people edit and compare."""
