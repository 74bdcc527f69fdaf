"""`make audit`, against a registry on this machine: what is known, what nobody can tell, and from whom."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tools import audit
from tools.lock import pins

HOLE = {"id": "PYSEC-2099-1", "aliases": ["CVE-2099-1"], "fixed_in": ["99.1"], "summary": "It gives all away."}


class Registry(ThreadingHTTPServer):
    """A registry with PyPI's JSON interface. ``answers``: body or status by name; other packages have no hole."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes | int] = {}
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        _, _, name, version, end = self.path.split("/")
        assert end == "json"
        assert version
        answer = self.server.answers.get(name, json.dumps({"vulnerabilities": []}).encode())
        self.send_response(answer if isinstance(answer, int) else 200)
        self.end_headers()
        self.wfile.write(b"" if isinstance(answer, int) else answer)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def registry() -> Iterator[Registry]:
    with Registry() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def audited(capsys: pytest.CaptureFixture[str], registry: str) -> tuple[int, list[str]]:
    status = audit.main(["--registry", registry])
    return status, capsys.readouterr().out.splitlines()


def test_without_holes_it_says_whom_it_asked_and_when(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    status, (line,) = audited(capsys, registry.address)
    n = len(pins("all"))
    assert status == 0
    source = rf"source: {re.escape(registry.address)} at \w+, \d+ \w+ \d{{4}} [\d:]+ GMT"
    assert re.fullmatch(rf"{n} of {n} packages checked, 0 known vulnerabilities; {source}", line)


def test_a_hole_is_named_with_what_corrects_it_and_fails(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.answers["fastapi"] = json.dumps({"vulnerabilities": [HOLE, HOLE | {"withdrawn": "2099-02-01"}]}).encode()
    status, lines = audited(capsys, registry.address)
    assert status == 1
    assert re.match(r"fastapi==[\d.]+: PYSEC-2099-1, CVE-2099-1, corrected in 99.1: It gives all away.", lines[0])
    assert ", 1 known vulnerabilities" in lines[-1]


@pytest.mark.parametrize("answer", [404, 500, b"no JSON", b"{}", b'{"vulnerabilities": [{}]}'])
def test_a_package_without_an_answer_does_not_count_as_checked(
    registry: Registry, answer: bytes | int, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.answers["numpy"] = answer
    status, lines = audited(capsys, registry.address)
    assert status == 0
    assert re.match(r"numpy==[\d.]+: cannot tell: .+", lines[0])
    assert lines[-1].startswith(f"{len(pins('all')) - lines[0].count('cannot')} of {len(pins('all'))} packages checked")


def test_a_registry_that_cannot_be_reached_is_no_success(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.answers = dict.fromkeys((pin.name for pin in pins("all")), 404)
    status, lines = audited(capsys, registry.address)
    assert status == 2
    assert lines[-1].startswith("0 of ")
    assert "which did not answer" in lines[-1]
