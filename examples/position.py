"""Goes on from the middle of a game, and lists the cards that may come next. Needs croupier-rules only."""

from croupier_rules import Referee, observations, parse_header

position = {"top": "blue-7", "turn": 0, "hands": [3, 2, 9], "known": {"0": ["blue-1", "red-7", "green-4"]}}
names = ["Ann", "Ben", "Cat"]
header = {"log": "croupier/1", "ruleset": "g7942-en", "seats": names, "dealer": 2, "given": position}
referee = Referee(parse_header(header))
print("may come next:", *sorted(referee.expected_faces()))
referee.observe(observations.Play(t=1.0, card="red-7"))
state = referee.state()
print(f"top {state.top}, {state.names[state.turn or 0]} is on turn, cards in hand {state.hands}")
