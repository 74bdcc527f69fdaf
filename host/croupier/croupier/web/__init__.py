"""The page: the live table, its scores and its history in a browser.

A page is a function of a table log and a place in it (`croupier.game_views`), so that a running game and a replay are
drawn alike. Commands from the page go to the running table as values (`croupier.table_api`).
"""
