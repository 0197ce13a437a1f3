"""Carries out auto-stop and Guardian for the shops in DecideQueue."""
