"""The devices of a table: shoe, ring, panel, camera."""
