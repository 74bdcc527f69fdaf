"""Seats and the phones of their players: a code for each seat, and newcomers who wait until an admin lets them in.

A seat is free while no session of its player is open. Its code stands in the address of a QR code. With it one phone
sits down; then another code takes its place, as it does when an admin renews it. A phone with the code of a taken seat
always waits for the admin.
"""

from __future__ import annotations

import secrets
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Final

from croupier.web.accounts import Accounts, Newcomer, Person, new_token
from croupier.web.addresses import NetworkAddress

_CODE_BYTES: Final = 16
"""128 bits: a code cannot be guessed in any number of attempts."""

_NUMBERS: Final = 10**9
"""Newcomers get numbers at random: a button that was shown before a restart means nobody else."""

_ENDED: Final = 200
"""Codes that were used or renewed, which are remembered."""

AGREE_S: Final = 60
"""Time in which the other player agrees to a swap of seats."""

_WAIT_AT_SEAT: Final = 6
_WAIT_FROM_NETWORK: Final = 10
"""Newcomers who wait with the code of one seat, and from one network. Who fills the list of a seat keeps nobody from
the other seats, and can fill those only with their codes, too."""


@dataclass(frozen=True, slots=True)
class Seats:
    """All about the seats that a page shows. ``players``: the names that the players of the taken seats typed, by seat;
    ``codes``: those of all seats."""

    players: tuple[tuple[int, str], ...]
    codes: tuple[str, ...]
    newcomers: tuple[Newcomer, ...]
    confirms: bool

    @property
    def taken(self) -> dict[int, str]:
        """The taken seats, with the names that their players typed."""
        return dict(self.players)

    @property
    def free(self) -> list[int]:
        """The free seats."""
        return [seat for seat in range(len(self.codes)) if seat not in self.taken]


class Seating:
    """The seats of the live table; runs in one thread. ``accounts`` has the sessions of those who sit; ``on_sit``:
    called with seat and name when a player has sat down; ``clock``: in seconds."""

    def __init__(
        self, accounts: Accounts, on_sit: Callable[[int, str], None], clock: Callable[[], float] = monotonic
    ) -> None:
        self._accounts, self._on_sit, self._clock = accounts, on_sit, clock
        self._codes: dict[int, str] = {}
        self._ended = deque[str](maxlen=_ENDED)
        self._wishes: dict[tuple[int, int], float] = {}
        """Swaps of seats that one of the two asks for: the seats, and when that ends (s)."""

    def seats(self, number: int) -> Seats:
        """The seats of a table with this ``number`` of seats."""
        players = ((seat, name) for seat, name in sorted(self._accounts.players.items()) if seat < number)
        codes = tuple(self._code(seat) for seat in range(number))
        newcomers = tuple(one for one in self._accounts.newcomers if one.seat < number)
        return Seats(tuple(players), codes, newcomers, self._accounts.confirms)

    def names(self, now: Sequence[str]) -> tuple[str, ...]:
        """The names of the seats in the next game: those that players typed, else as ``now``."""
        typed = self._accounts.players
        return tuple(typed.get(seat) or name for seat, name in enumerate(now))

    def unseated(self, seats: Sequence[int]) -> list[int]:
        """Those of some seats at which nobody sits."""
        return [seat for seat in seats if seat not in self._accounts.players]

    def seat(self, code: str) -> int | None:
        """The seat of a code; None for an unknown one."""
        known = [seat for seat, one in self._codes.items() if secrets.compare_digest(one.encode(), code.encode())]
        return known[0] if known else None

    def is_code(self, code: str) -> bool:
        """True for the code of a seat, now or before."""
        return self.seat(code) is not None or self.has_ended(code)

    def has_ended(self, code: str) -> bool:
        """True for the code of a seat that was used or renewed: who scans it guesses nothing."""
        return code in self._ended

    def is_swap_agreed(self, seat: int, other: int) -> bool:
        """True if the player at ``other`` has asked for this swap too, or nobody sits there with a phone. Else the
        player at ``seat`` asks for it now."""
        now = self._clock()
        self._wishes = {seats: until for seats, until in self._wishes.items() if until > now}
        if other not in self._accounts.players or self._wishes.pop((other, seat), None) is not None:
            return True
        self._wishes[seat, other] = now + AGREE_S
        return False

    def others(self, seat: int, token: str | None, names: Sequence[str]) -> list[str]:
        """The names of all others at or before another seat than this newcomer. ``token``: of the newcomer;
        ``names``: of all seats."""
        own, waits = (seat, self._accounts.person(token).seat), self._accounts.newcomer(token)
        others = [other for place, other in enumerate(names) if place not in own]
        return others + [one.name for one in self._accounts.newcomers if one.seat != seat and one != waits]

    def make_room(self, network: str, seat: int) -> bool:
        """True if one more from this network may wait for a seat. Where too many wait for it, the newest one of the
        network from which most do gives way, unless this network would then have as many."""
        if sum(one.network == network for one in self._accounts.newcomers) >= _WAIT_FROM_NETWORK:
            return False
        waiting = [one for one in self._accounts.newcomers if one.seat == seat]
        numbers = Counter(one.network for one in waiting)
        if len(waiting) < _WAIT_AT_SEAT:
            return True
        ((crowd, number),) = numbers.most_common(1)
        if number <= numbers[network] + 1:
            return False
        self._accounts.decide([one.number for one in waiting if one.network == crowd][-1], lets_in=False)
        return True

    def ask(self, token: str | None, seat: int, name: str, network: str) -> str:
        """Somebody with the code of ``seat`` sits down, or waits where an admin has to confirm it. ``token``: of the
        session that the phone has. Returns the token that it has from now on."""
        token = self._token(token)
        if self._accounts.confirms or seat in self._accounts.players:
            self._accounts.wait(token, Newcomer(secrets.randbelow(_NUMBERS), seat, name, network))
            return token
        return self.sit(token, seat, name)

    def sit(self, token: str | None, seat: int, name: str) -> str:
        """A person whom nobody has to confirm sits down; returns the token that the phone has from now on."""
        token = self._token(token)
        self._accounts.open(token, Person("player", seat), name)
        self._has_sat_down(seat, name)
        return token

    def let_in(self, number: int) -> None:
        """Let a newcomer sit down, if that one still waits."""
        if (one := self._accounts.decide(number, lets_in=True)) is not None:
            self._has_sat_down(one.seat, one.name)

    def refuse_all(self) -> None:
        """Refuse everybody who waits, and give the seats for which they wait other codes: who has the old ones cannot
        come again without the screen."""
        for one in self._accounts.newcomers:
            self._accounts.decide(one.number, lets_in=False)
            self.renew(one.seat)

    def renew(self, seat: int) -> None:
        """Give a seat another code."""
        if (code := self._codes.pop(seat, None)) is not None:
            self._ended.append(code)

    def free(self, seat: int) -> None:
        """Close the sessions of the player at a seat."""
        self._accounts.close(Person("player", seat))
        self.renew(seat)

    def _has_sat_down(self, seat: int, name: str) -> None:
        self.renew(seat)
        self._on_sit(seat, name)

    def _token(self, token: str | None) -> str:
        is_known = self._accounts.session(token) is not None or self._accounts.newcomer(token) is not None
        return token if token is not None and is_known else new_token()

    def _code(self, seat: int) -> str:
        return self._codes.setdefault(seat, secrets.token_urlsafe(_CODE_BYTES))


@lru_cache(maxsize=64)
def invitation(address: NetworkAddress, code: str) -> NetworkAddress:
    """The address at which a code is used, with its QR code."""
    return NetworkAddress(f"{address.url}join/{code}")
