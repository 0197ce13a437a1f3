"""The backlog: ideas, their order, and the experiments that test them."""
