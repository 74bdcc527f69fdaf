"""A director and a server's owner type the commands of docs/tournaments.md in the order in which they stand there."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier.cli import main
from croupier_hub.client import HubClient
from croupier_hub.messages import Verdict
from croupier_hub.signed_log import name_of, sign
from tests.docs.documents import text_of
from tests.hub.postgresql import Cluster, as_owner, programs
from tests.hub.running import HubProcess

NAMES: Final = ["Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal"]
TABLES: Final = [Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (7, 8)]

TRIED_ELSEWHERE: Final = {
    r"croupier tournament demo": "plays a whole tournament (tests/hub/test_simulated.py)",
    r"pip ": "tests/hub/test_without_card_reader.py",
    r"(sudo|docker|podman) ": "the system's own (tests/hub/test_deployment.py)",
    r"mosquitto ": "tests/hub/test_mosquitto.py",
    r".* --plan|.*--after plan.json": "needs scores: tests/docs/test_commands.py",
    r"croupier tournament verify": "needs a receipt (tests/hub/test_verification.py)",
    r"croupier tournament hub .*--forward": "needs a federation (tests/hub/test_forwarding.py)",
}
"""Commands that are not run here, with the reason."""


def section(title: str) -> Iterator[str]:
    """The commands below a heading, as they are typed."""
    (text,) = re.findall(rf"^## {title}$(.*?)(?=^## |\Z)", text_of("docs/tournaments.md"), re.MULTILINE | re.DOTALL)
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield from block.replace("\\\n", " ").splitlines()


class Computer:
    """A computer on which somebody types commands. ``database``: the one that stands for PostgreSQL's."""

    def __init__(self, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self._database, self._environment = database, monkeypatch
        self._hub: HubProcess | None = None
        self.typed, self.points = list[str](), dict[str, int]()

    def type(self, line: str, *more: str) -> None:
        """Type a command; one that fails ends the test. ``more``: words behind it."""
        if any(re.match(pattern, line) for pattern in TRIED_ELSEWHERE):
            return
        self.typed.append(line)
        owner, role = as_owner(self._database), self._database
        line = re.sub(r"postgresql\+psycopg://(owner:SECRET@127\.0\.0\.1)?/hub", owner, line)
        line = re.sub(r"postgresql\+psycopg://hub(:OTHER)?@(127\.0\.0\.1)?/hub", role, line)
        program, *words = [*shlex.split(line.replace("--host 0.0.0.0", ""), comments=True), *more]
        if program != "croupier":
            subprocess.run([program, *words], check=True)
        elif words[:2] == ["tournament", "hub"]:
            self.end_hub()
            self._hub = HubProcess(*words[2:])
            self._environment.setenv("CROUPIER_HUB", self._hub.url)
        else:
            *words, target = words if ">" in words else [*words, ">", "/dev/null"]
            with Path(target).open("w") as out, redirect_stdout(out):
                assert main.run(["--language", "en", *words[: words.index(">")]]) == 0, line

    @property
    def url(self) -> str:
        """The address of the hub that runs."""
        assert self._hub is not None
        return self._hub.url

    def end_hub(self) -> None:
        """Ctrl-C, if a hub runs."""
        if self._hub is not None:
            assert self._hub.kill(signal.SIGINT) == 0
            self._hub = None

    def play(self) -> None:
        """Each table of the first round is enrolled, and sends its result."""
        seats = json.loads(Path("plan.json").read_text())["rounds"][0]["tables"]
        with HubClient(self.url) as client:
            for n, (key, of_table) in enumerate(zip(TABLES, seats, strict=True), start=1):
                self.type(f"croupier tournament enroll {name_of(key)} --table {n}")
                names = [NAMES[place] for place in of_table["seats"]]
                self.points |= dict(zip(names, (40, 0, 7, 10 * n), strict=True))
                played = {"round": 1, "table": n, "plan": 1, "seats": names, "points": [40, 0, 7, 10 * n]}
                assert client.put(sign(key, [json.dumps({"result": played})])).verdict is Verdict.ACCEPTED

    def standings(self) -> list[tuple[str, int]]:
        """Players and points, the best first."""
        with Path("standings.json").open("w") as out, redirect_stdout(out):
            assert main.run(["tournament", "standings", "--json"]) == 0
        return [(row["player"], row["points"]) for row in json.loads(Path("standings.json").read_text())["standings"]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if (folder := programs()) is None:
        pytest.skip("there is no PostgreSQL here; tests/apt.txt installs it where it may")
    made = Cluster(folder)
    yield made
    made.close()


@pytest.fixture
def computer(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Computer]:
    monkeypatch.chdir(tmp_path)
    Path("names.txt").write_text("".join(f"{name}\n" for name in NAMES))
    Path("players.csv").write_text("Name\n" + "".join(f"{name}\n" for name in NAMES))
    made = Computer(cluster.new_database(is_migrated=False), monkeypatch)
    yield made
    made.end_hub()


def begin(computer: Computer) -> None:
    """The round of a plan, as far as it goes before it ends."""
    for line in section("Plans"):
        computer.type(line)
    for line in section("Hub"):
        if line.startswith("croupier tournament end"):
            computer.play()
        line = line.replace("/var/www/html/tournament", "site")
        computer.type(line, *["--yes"] * line.startswith("croupier tournament register"))


@pytest.mark.long
def test_a_tournament_goes_as_the_page_says(computer: Computer) -> None:
    begin(computer)
    assert dict(computer.standings()) == computer.points | {"Ann": computer.points["Ann"] - 20}  # the page's penalty
    for file in ("plan.pdf", "standings.pdf", "badges.pdf"):
        assert Path(file).read_bytes().startswith(b"%PDF")
    assert all(name in Path("site/index.html").read_text() for name in NAMES)
    assert json.loads(Path("results.json").read_text())["ended"] == [1]
    before = computer.standings()
    for line in section("Broker"):
        computer.type(line)
    assert Path("broker/table-2.toml").is_file()
    assert computer.standings() == before
    for line in section("PostgreSQL"):
        computer.type(line)
    assert computer.standings() == []  # another database, in which nobody has said anything
    assert len(computer.typed) > 20


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_tournament_goes_on_on_another_computer(computer: Computer, cluster: Cluster, kind: str) -> None:
    databases = ["sqlite:///hub.db", "sqlite:///other.db"]
    if kind == "postgresql":
        databases = [cluster.new_database(), cluster.new_database()]
    for line in ("croupier tournament plan --names names.txt --format swiss --rounds 5 --json > plan.json",):
        computer.type(line)
    computer.type("croupier tournament hub", "--database", databases[0])
    computer.type("croupier tournament publish plan.json")
    computer.play()
    before = computer.standings()
    archive, copy, *rest, remove = section("Backup and archive")
    computer.type("croupier tournament penalty Ann 5 --round 1")
    with_penalty = computer.standings()
    computer.end_hub()
    computer.type(copy)
    computer.type("croupier tournament hub", "--database", databases[0])
    computer.type("croupier tournament penalty Ann 0 --round 1")  # after the copy, and before the archive
    assert computer.standings() == before != with_penalty
    computer.type(archive, "--database", databases[0])
    computer.end_hub()
    Path("director.outbox").unlink()
    for line in rest:
        computer.type(line, *["--database", databases[1]] * line.startswith("croupier"))
    assert computer.standings() == before
    computer.type("croupier tournament penalty Ann 5 --round 1")
    assert computer.standings() == with_penalty
    computer.end_hub()
    owner = as_owner(databases[0])
    computer.type(remove.replace("postgresql+psycopg:///hub", owner))
    computer.type("croupier tournament hub", "--database", databases[0])
    assert computer.standings() == []
