"""The page: the table as one sees it, its scores and its history, for whoever looks.

What it shows is a function of the table log and a place in it (`story`, `view`), so a running game and a replay are
the same thing. What people do on it goes to whoever runs the table, as values (`desk`).
"""
