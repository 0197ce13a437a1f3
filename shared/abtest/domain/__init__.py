"""The pure core: no input or output, no environment, no clock, no randomness; time and ids are arguments."""
