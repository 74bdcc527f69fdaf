"""Views of a game: what a person sees of it at a moment, as plain values without HTTP.

`story` makes moments of a table log; `view`, `turns`, `offers`, `spoken` and `big_screen` describe one of them;
`record` has what may be corrected. The page, the terminal and score sheets on paper draw these values.
"""
