"""Keys and signatures: their form, their derivation, their verification. Pure functions."""
