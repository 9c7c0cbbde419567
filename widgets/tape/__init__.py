"""TapePlayer: a tape that records and is run back."""
