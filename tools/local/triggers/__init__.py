"""What invokes functions besides HTTP: queues and schedules."""
