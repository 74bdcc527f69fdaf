"""The evening as something to send: one picture, or one page in a file.

All of it is made of a game's record alone (`evening.Evening`), a score sheet's as well as a refereed game's.
"""
