"""The local stack: runs template.yaml on this machine; nothing in here is deployed."""
