"""What a hub says of itself: figures for Prometheus, and its log as JSON."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
from contextlib import closing
from io import StringIO
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from croupier_hub import budget, metrics
from croupier_hub.client import HubClient
from croupier_hub.log_lines import JsonLines
from croupier_hub.pages.site import create_site
from croupier_hub.serving import serving
from croupier_hub.signed_log import sign
from croupier_hub.store import LogStore
from tests.hub.test_budget import LINES, STRANGER
from tests.hub.test_logs import BOSS
from tests.patience import PATIENCE_S
from tests.ports import own_port

LABELS = ("request", "method", "status", "verdict")


def figures(url: str) -> dict[tuple[str, ...], float]:
    """All that a hub counts, by the name and the values of `LABELS`."""
    answer = httpx.get(f"{url}/metrics", trust_env=False, timeout=PATIENCE_S)
    assert answer.status_code == 200
    return {
        (sample.name, *(sample.labels[name] for name in LABELS if name in sample.labels)): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_requests_lines_and_readiness_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_FRESH_S", 0.0)
    with (
        closing(LogStore(f"sqlite:///{tmp_path / 'hub.db'}", BOSS)) as store,
        serving(create_site(store)) as url,
    ):
        for path in ("/standings", "/standings", "/", "/no/such/page", "/readyz"):
            httpx.get(f"{url}{path}", trust_env=False, timeout=PATIENCE_S)
        httpx.request("BREW", f"{url}/", trust_env=False)
        with HubClient(url) as client:
            client.put(sign(STRANGER, LINES))
        found = figures(url)
    requests = "croupier_hub_requests_total"
    assert found[requests, "standings", "GET", "200"] == 2
    assert found[requests, "page", "GET", "200"] == 1
    assert found[requests, "page", "GET", "404"] == 1
    assert found[requests, "page", "other", "405"] == 1
    assert found["croupier_hub_request_seconds_count", "standings"] == 2
    assert found["croupier_hub_lines_total", "unknown"] == len(LINES)
    assert found["croupier_hub_ready",] == 1
    assert found["process_resident_memory_bytes",] > 10_000_000


def test_a_busy_hub_is_measured_all_the_same_and_at_little_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "_FRESH_S", 1e9)
    monkeypatch.setattr(budget, "MOST", 1e-9)
    with (
        closing(LogStore(f"sqlite:///{tmp_path / 'hub.db'}", BOSS)) as store,
        serving(create_site(store)) as url,
    ):
        answers = [httpx.get(f"{url}/standings", trust_env=False, timeout=PATIENCE_S) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 503]
        first = figures(url)
        assert first["croupier_hub_requests_total", "standings", "GET", "503"] == 1
        assert figures(url) == first


@pytest.mark.parametrize("path", ["/standings", "/logs/0/0", "/receipts/7KQ2.json", "/add-checkpoint"])
def test_a_request_is_named_by_its_first_word(path: str) -> None:
    assert metrics.request_name(path) == path.split("/")[1]


@pytest.mark.parametrize("path", ["", "/", "//", "/standingsx", "/hub/x.css", "*", "/\n", "/metrics/x", "standings"])
def test_all_that_strangers_ask_for_has_one_name(path: str) -> None:
    assert metrics.request_name(path) == "page"


def test_an_error_in_the_log_is_one_line_with_its_trace() -> None:
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    log = logging.Logger("croupier_hub.test")
    log.addHandler(handler)
    try:
        raise ValueError("two\nlines")
    except ValueError:
        log.exception("the game of %s", "Ann")
    (line,) = stream.getvalue().splitlines()
    entry = json.loads(line)
    assert (entry["level"], entry["from"], entry["text"]) == ("error", "croupier_hub.test", "the game of Ann")
    assert entry["trace"].endswith("ValueError: two\nlines")
    assert entry["time"].endswith("+00:00")


@pytest.mark.long
def test_processes_count_together_and_log_in_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "croupier", "--language", "en", "tournament", "hub", "--port", str(own_port())]
    command += ["--processes", "2", "--log", "json"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as hub:
        assert hub.stderr is not None
        lines = [hub.stderr.readline()]
        while "croupier tournament invite" not in lines[-1]:
            lines.append(hub.stderr.readline())  # all of it: `communicate` does not see what was read ahead
            assert lines[-1], "the hub ended"
        url = json.loads(lines[0])["text"].split(";")[0].rpartition(" ")[2]
        for _ in range(40):  # each is a new connection, to one of the two
            assert httpx.get(f"{url}/results", trust_env=False, timeout=PATIENCE_S).status_code == 200
        counted = figures(url)
        hub.send_signal(signal.SIGTERM)
        output, errors = hub.communicate(timeout=PATIENCE_S)
    assert counted["croupier_hub_requests_total", "results", "GET", "200"] == 40
    assert (hub.returncode, output) == (0, "")
    entries = [json.loads(line) for line in lines + errors.splitlines()]
    assert {entry["from"] for entry in entries} == {"croupier_hub"}
    assert entries[-1]["text"] == "the director’s page: croupier tournament invite"
