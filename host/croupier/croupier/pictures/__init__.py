"""What `croupier read`, `tally` and `audit` do with pictures and the card reader."""
