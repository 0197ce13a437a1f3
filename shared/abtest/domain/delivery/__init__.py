"""What shoppers get: compiling a shop's experiments into the config, and the config into the snippet."""
