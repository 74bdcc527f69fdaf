"""The page: the live table, its scores and its history in a browser.

A page is a function of the table log and a place in it (`story`, `view`), so that a running game and a replay are drawn
alike. Commands from the page go to the running table as values (`live_table`).
"""
