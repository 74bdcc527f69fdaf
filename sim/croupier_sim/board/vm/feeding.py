"""The feed motor, the cards under its roller, the light barrier and the hopper. Figures: notes on the mechanics.

Positions are in mm along the way of a card, from the light barrier. A card lies ready at ``READY``. The roller drives
it while its leading edge is before ``GRIP_END``; then it flies. The roller takes the next card, ``GAP`` behind, when
the card before has left it.
"""

import random

CARD = 88.0
READY = -70.0
GRIP_END = 43.0
GAP = 28.0
HOPPER_END = -20.0
"""A card whose leading edge is beyond this position does not cover the hopper's sensor (mm)."""

FULL_SPEED = 1430.0
DRIVE_S, BRAKE_S, RUN_OUT_S = 0.025, 0.006, 0.060
"""Time constants of the motor: driven, braked, without current (s)."""
CLOTH = 3000.0
"""Deceleration of a flying card (mm/s²)."""
REVERSAL_SPEED = 300.0
"""Speed above which a reversal of the motor breaks a weak supply down (mm/s)."""

DUST_US = 6_000
"""Delay of dust behind the card that it came off (µs)."""

TICK_US = 500
_FULL = 65535


class Card:
    """A card on its way: position of its leading edge, speed, grip of the roller, position where it sticks.

    It stays ``distance`` behind the card ``before`` it, if there is one.
    """

    def __init__(self, at, grip, before, distance):
        self.at, self.grip = at, grip
        self.before, self.distance = before, distance
        self.speed = 0.0
        self.sticks_at = None
        self.is_hard = False


class Feeding:
    """The cards of the shoe. ``settings``: cards, seed, jam, double_feed (probabilities for a card), grip, best_grip
    (fractions of the roller's speed), unpressed (number of last cards that the roller does not take), weak_supply."""

    def __init__(self, world, settings, exit_gpio, hopper_gpio, turning):
        self._world, self._turning = world, turning
        self._exit, self._hopper_gpio = exit_gpio, hopper_gpio
        self._jam, self._double = settings["jam"], settings["double_feed"]
        self._grip = settings["grip"], settings["best_grip"]
        self._unpressed = settings["unpressed"]
        self.weak_supply = settings["weak_supply"]
        random.seed(settings["seed"])
        self._forward = self._back = 0
        self._speed = 0.0
        self._is_ticking = False
        self._covering = 0
        self._next_sticks = None
        self._next_double = None
        self._next_flicker = None
        self.cards = []
        self._in_hopper = 0
        self._is_lifted = False
        self.set_cards(settings["cards"])
        world.levels &= ~(1 << exit_gpio)

    def drive(self, forward, back):
        """Set the duty of both inputs of the driver. Interrupt handlers call it, so it allocates nothing."""
        self._forward, self._back = forward, back

    def wake(self):
        """Schedule the next step of the motion if the motor is driven."""
        if self._forward != self._back and not self._is_ticking:
            self._is_ticking = True
            self._world.at(self._world.now, self._tick)

    # -- what people do ------------------------------------------------------------------------------------------

    def set_cards(self, n):
        """Set the number of cards in the shoe, including those under the roller."""
        while len(self.cards) > n:
            self._remove(self.cards[-1])
        self._in_hopper = n - len(self.cards)
        self._show_hopper()

    def clear(self):
        """Lay cards that stick or lie in the exit back into the hopper, as a person does."""
        for card in list(self.cards):
            if card.at > 0 or card.sticks_at is not None:
                self._remove(card)
                self._in_hopper += 1
        self._show_hopper()

    def stick(self, at, is_hard):
        """Let the next card stick with its leading edge at ``at``; ``is_hard``: a reversal does not free it."""
        if self.cards and self.cards[-1].at <= min(0, at):
            self.cards[-1].sticks_at, self.cards[-1].is_hard = at, is_hard
        else:
            self._next_sticks = (at, is_hard)

    def double(self, offset):
        """Let the next card take another along, ``offset`` mm behind it."""
        self._next_double = offset
        if self.cards and self.cards[-1].at <= 0:
            self._take_along()

    def lift(self, is_lifted):
        """Lift the cards off the roller and the hopper's sensor, or lay them back."""
        self._is_lifted = is_lifted
        self._show_hopper()

    def weaken(self):
        """From now on the supply breaks down when the running motor is reversed."""
        self.weak_supply = True

    def flicker(self, ms):
        """Cover the card exit with dust for ``ms``, just after the next card has left it."""
        self._next_flicker = ms

    def cover(self, ms):
        """Cover the card exit for ``ms``."""
        self._edge(1, None)
        self._world.at(self._world.now + ms * 1000, self._edge, -1, None)

    def glare(self, us):
        """Let light pass the card exit for ``us``, even if a card covers it."""
        if self._covering:
            self._world.set_level(self._exit, 0)
            self._world.at(self._world.now + us, self._edge, 0, None)

    # --------------------------------------------------------------------------------------------------------------

    def _remove(self, card):
        if 0 < card.at < CARD:
            self._edge(-1, None)
        self._forget(card)

    def _forget(self, card):
        self.cards.remove(card)
        for one in self.cards:
            if one.before is card:
                one.before = None  # else each card would keep all cards before it

    def _tick(self):
        dt = TICK_US / 1e6
        if self._forward == self._back:
            goal, follows = 0.0, BRAKE_S if self._forward else RUN_OUT_S
        else:
            goal, follows = FULL_SPEED * (self._forward - self._back) / _FULL, DRIVE_S
        if goal * self._speed < 0 and abs(self._speed) > REVERSAL_SPEED and self.weak_supply:
            self._world.reset_due = "power"
        self._speed += (goal - self._speed) * dt / follows
        if not goal and abs(self._speed) < 5:
            self._speed = 0.0
        self._take_card()
        is_moving = self._speed != 0 or self._forward != self._back
        for card in list(self.cards):
            is_moving = self._move(card, dt) or is_moving
        self._show_hopper()
        self._is_ticking = is_moving
        if is_moving:
            self._world.at(self._world.now + TICK_US, self._tick)

    def _take_card(self):
        """Put the next card under the roller if it has none."""
        if self._speed <= 0 or not self._lying or any(card.at <= GRIP_END for card in self.cards):
            return
        before = self.cards[-1] if self.cards else None
        at = max(READY, before.at - CARD - GAP) if before else READY
        card = Card(at, random.uniform(*self._grip), before, CARD)
        self.cards.append(card)
        self._in_hopper -= 1
        if self._next_sticks:
            card.sticks_at, card.is_hard = self._next_sticks
            self._next_sticks = None
        elif self._in_hopper < self._unpressed:
            card.sticks_at, card.is_hard = at, True
        elif random.random() < self._jam:
            card.sticks_at = random.uniform(READY, GRIP_END)
        if self._next_double is None and random.random() < self._double:
            self._next_double = random.uniform(0.2 * CARD, 0.9 * CARD)
        self._take_along()

    def _take_along(self):
        if self._next_double is not None and self._lying:
            first = self.cards[-1]
            distance = self._next_double
            self.cards.append(Card(first.at - distance, first.grip, first, min(CARD, distance)))
            self._in_hopper -= 1
        self._next_double = None

    def _move(self, card, dt):
        """Move one card. Returns True if it flies."""
        was = card.at
        if was <= GRIP_END:
            card.speed = self._speed * card.grip
        else:
            card.speed = max(0.0, card.speed - CLOTH * dt)
        now = was + card.speed * dt
        if card.sticks_at is not None:
            if card.speed < 0 and not card.is_hard:
                card.sticks_at = None
            elif card.is_hard and was >= card.sticks_at:
                now = was
            elif now > card.sticks_at:
                now = max(was, card.sticks_at)
        if card.before in self.cards:
            now = max(min(now, card.before.at - card.distance), min(was, now))
        if card.speed < 0:
            now = max(now, min(was, READY))
        card.at = now
        for edge, change in ((0.0, 1), (CARD, -1)):
            if was <= edge < now:
                self._edge_at(was, now, edge, change, card if change < 0 else None)
            elif now <= edge < was:
                self._edge_at(was, now, edge, -change, None)
        return was > GRIP_END and card.speed > 0

    def _edge_at(self, was, now, edge, change, gone):
        after = int(TICK_US * (edge - was) / (now - was))
        self._world.at(self._world.now + after, self._edge, change, gone)

    def _edge(self, change, gone):
        self._covering += change
        if gone is not None:
            self._forget(gone)
            self._world.report("card", self._turning.angle())
            if self._next_flicker is not None:
                self._world.at(self._world.now + DUST_US, self.cover, self._next_flicker)
                self._next_flicker = None
        self._world.set_level(self._exit, 1 if self._covering > 0 else 0)

    @property
    def _lying(self):
        return 0 if self._is_lifted else self._in_hopper

    def _show_hopper(self):
        lies = self._lying or any(card.at < HOPPER_END for card in self.cards)
        self._world.set_level(self._hopper_gpio, 0 if lies else 1)
