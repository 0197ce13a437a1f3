"""Nightly audit: a sample of roll-ups and of compacted hours is compared with the raw ledger, a message for each part.

The schedule draws the sample and sends it; workers compare one part each and write nothing. So a message that comes
late, twice or out of order changes no result.
"""
