"""What shoppers get: compiling what a shop delivers into configs, and a config into the snippet."""
