"""Creates deliveries of events and sends them to the endpoints of shops."""
