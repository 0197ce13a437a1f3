"""A demo shop to run experiments on: plain HTML that works without the SDK and without JavaScript."""
