"""Judges three things that happen at a table, each with the sentence of the rule sheet. Needs croupier-rules only."""

from croupier_rules import Explainer, Header, Referee, observations, ruleset

header = Header(ruleset=ruleset("g7942-en"), seats=("Ann", "Ben"), dealer=0)
referee, explainer = Referee(header), Explainer(header)
for observation in (
    observations.Upcard(t=3.0, card="red-5"),
    observations.Play(t=5.0, card="red-8"),
    observations.Play(t=9.0, card="blue-2"),
):
    print(explainer.seen(observation, referee.on_turn))
    for ruling in referee.observe(observation):
        print(f"  {explainer.explain(ruling).text} – {ruling.basis.quote}")
