"""Protocols of everything that services need from outside: stores, queues, engines, networks."""
