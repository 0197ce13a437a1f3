"""What tests share: fixtures, fakes of the outside, clients."""
