"""Keys and signatures as pure functions: their form, their derivation, their verification."""
