"""The browser of a phone as the table's camera.

A phone gives its camera to a page only over HTTPS. The table serves that one page from a process of its own
(`listener`), with a certificate of its own (`certificate`); `feed` is what page and table agree on. The table takes the
pictures in with `croupier.pictures.phone_camera`.
"""
