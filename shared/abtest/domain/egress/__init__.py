"""Which addresses outside our requests may go to. Pure: names are resolved and sockets opened elsewhere."""
