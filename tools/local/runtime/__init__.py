"""Running functions: a worker process, a pool of them, and the environment they see."""
