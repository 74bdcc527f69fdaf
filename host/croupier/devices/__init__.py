"""What the table is made of: shoe, ring, panel, camera; and their simulations."""
