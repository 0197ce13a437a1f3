"""Compaction: closed hours of the raw ledger become Parquet, by hour and group of shops.

A dispatcher lists the hours and sends a message for each unit of work, an hour and a group of shops; workers do one
unit each.
"""
