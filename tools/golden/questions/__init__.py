"""Random questions to both implementations, the same for the same seed."""
