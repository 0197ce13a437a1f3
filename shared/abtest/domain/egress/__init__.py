"""Rules on the outside addresses that our requests may go to. Pure: adapters resolve names and open sockets."""
