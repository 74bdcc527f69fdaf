"""The routes of the page, a file for each kind of request."""
