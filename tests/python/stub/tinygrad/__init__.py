"""The few attributes of tinygrad that the door touches, for its tests: no compiler is in here."""
