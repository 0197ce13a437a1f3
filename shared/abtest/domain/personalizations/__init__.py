"""Personalizations: experiences for those whom they are meant for."""
