"""Score sheets on the page of a table, and on a page of their own."""
