"""What services need from the world, as Protocols: adapters fulfil them, one contract suite proves each."""
