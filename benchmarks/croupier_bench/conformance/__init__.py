"""A conformance suite for referees and engines of UNO and its kin."""
