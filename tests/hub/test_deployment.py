"""What runs a hub on a server: the service of systemd, the container, PostgreSQL, mosquitto and Caddy beside it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from croupier.cli import main
from croupier_hub.cli.hub import HUB_PORT
from croupier_hub.client import HubClient
from croupier_hub.health import PATHS
from croupier_hub.messages import Verdict
from croupier_hub.metrics import METRICS
from croupier_hub.pages.site import create_site
from croupier_hub.serving import serving
from croupier_hub.signed_log import sign
from croupier_hub.store import LogStore
from tests.hub.postgresql import USER, Cluster, as_owner
from tests.hub.test_logs import BOSS, DIRECTOR, plan
from tests.patience import PATIENCE_S
from tests.ports import own_port
from tools.lock import ROOT

HUB = ROOT / "deploy/hub"
UNIT, CONTAINER = HUB / "croupier-hub.service", (HUB / "Containerfile").read_text()
CADDY = shutil.which("caddy")
TIGHT_ENOUGH = 15
"""systemd's own score, in tenths, of a service that speaks with networks."""


def composed(*names: str) -> dict[str, Any]:
    """The services of these files together, as compose merges what they have: what the later one says of a key."""
    services: dict[str, Any] = {}
    for name in names:
        for service, said in yaml.safe_load((HUB / name).read_text())["services"].items():
            services[service] = services.get(service, {}) | said
    return services


def parsed(words: list[str]) -> None:
    """Parse a command of croupier, without running it."""
    program: Any = main.program()
    group = program.make_context("croupier", list(words))
    while hasattr(group.command, "commands"):
        name, command, rest = group.command.resolve_command(group, [*group._protected_args, *group.args])
        group = command.make_context(name, list(rest), parent=group)


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The service as on a server, for a program that is there."""
    made = tmp_path / UNIT.name
    made.write_text(UNIT.read_text().replace("/opt/croupier-hub/bin/croupier", "/bin/true"))
    return made


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_understands_the_service_and_finds_it_tight(unit: Path) -> None:
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={TIGHT_ENOUGH}", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_commands_of_service_container_and_compose_are_commands() -> None:
    (line,) = re.findall(r"^ExecStart=\S+ (.*)$", UNIT.read_text(), re.MULTILINE)
    parsed(line.replace("$HUB_OPTIONS", "--processes 2").split())
    (words,) = re.findall(r"^CMD (\[.*\])$", CONTAINER, re.MULTILINE)
    parsed(yaml.safe_load(words))
    services = composed("compose.yaml", "compose.broker.yaml")
    for name in ("hub", "migrate"):
        parsed(services[name]["command"])
    with_broker, alone = services["hub"]["command"], composed("compose.yaml")["hub"]["command"]
    assert with_broker == [*alone, "--broker=broker/house.toml"]


def test_the_container_writes_nowhere_but_in_its_volume_and_is_nobody() -> None:
    assert re.findall(r"^USER (.*)$", CONTAINER, re.MULTILINE) == ["65532:65532"]
    volume = re.findall(r"^VOLUME (.*)$", CONTAINER, re.MULTILINE)
    assert volume == re.findall(r"^WORKDIR (/var.*)$", CONTAINER, re.MULTILINE)
    assert f"EXPOSE {HUB_PORT}\n" in CONTAINER
    assert f":{HUB_PORT}{PATHS[0]}" in CONTAINER
    services = composed("compose.yaml", "compose.broker.yaml")
    for name in ("hub", "migrate"):
        said = services[name]
        assert said["read_only"] is True
        assert said["cap_drop"] == ["ALL"]
        assert said["tmpfs"] == ["/tmp"]
    assert services["hub"]["volumes"][0].endswith(f":{volume[0]}")
    assert services["broker"]["user"] == "65532:65532"
    assert "ports" not in services["hub"]
    assert "ports" not in services["database"]


def test_what_the_container_copies_is_there() -> None:
    for sources in re.findall(r"^COPY (?!--from)(.*) \S+$", CONTAINER, re.MULTILINE):
        assert all((ROOT / one).exists() for one in sources.split()), sources
    for one in re.findall(r"\./host/[\w-]+", CONTAINER):
        assert (ROOT / one / "pyproject.toml").is_file()
    locks = set(re.findall(r"requirements/\w+\.txt", CONTAINER))
    assert locks == {f"requirements/{name}.txt" for name in ("pip", "build", "hub")}


def test_the_role_of_the_hub_is_made_as_the_database_is(cluster: Cluster, tmp_path: Path) -> None:
    url = cluster.new_database(is_migrated=False)
    name = url.rpartition("/")[2]
    role, password = f"{name}_served", "it's; secret"
    script = tmp_path / "make-role"
    script.write_text((HUB / "make-role").read_text().replace("ROLE hub ", f"ROLE {role} "))
    environment = os.environ | {
        "PATH": f"{cluster.programs}:{os.environ['PATH']}", "PGHOST": cluster.address, "POSTGRES_USER": "owner",
        "POSTGRES_DB": name, "HUB_PASSWORD": password,
    }  # fmt: skip
    subprocess.run(["/bin/sh", script], env=environment, check=True, capture_output=True)
    parsed(["hub", "migrate", "--database", as_owner(url), "--role", role])
    assert main.run(["hub", "migrate", "--database", as_owner(url), "--role", role]) == 0
    with closing(LogStore(url.replace(f"//{USER}@", f"//{role}@"), BOSS)) as store:
        assert store.put(sign(DIRECTOR, [plan(1)])).verdict is Verdict.ACCEPTED


@pytest.mark.skipif(CADDY is None, reason="Caddy is not installed; tests/apt.txt installs it where it may")
def test_caddy_passes_on_what_tables_and_people_ask_and_hides_what_watches(tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{own_port()}"
    with (
        closing(LogStore(f"sqlite:///{tmp_path / 'hub.db'}", BOSS)) as store,
        serving(create_site(store)) as url,
    ):
        settings = {"HUB_ADDRESS": address, "HUB_UPSTREAM": url.removeprefix("http://"), "HOME": str(tmp_path)}
        config = tmp_path / "Caddyfile"
        # The port at which Caddy is told what to do is for one Caddy of a machine.
        config.write_text("{\n\tadmin off\n}\n" + (HUB / "Caddyfile").read_text())
        command = [str(CADDY), "run", "--config", str(config), "--adapter", "caddyfile"]
        with subprocess.Popen(command, env=os.environ | settings, stderr=subprocess.PIPE, text=True) as caddy:
            assert caddy.stderr is not None
            try:
                for line in caddy.stderr:
                    if "serving initial configuration" in line:
                        break
                else:
                    pytest.fail("Caddy ended")
                with HubClient(address) as client:
                    assert client.put(sign(DIRECTOR, [plan(1)])).verdict is Verdict.ACCEPTED
                asked = {
                    path: httpx.get(f"{address}{path}", trust_env=False, timeout=PATIENCE_S).status_code
                    for path in ("/", "/standings", "/screen", *PATHS, METRICS)
                }
                chosen = httpx.post(
                    f"{address}/choice", data={"theme": "dark"}, headers={"Origin": address}, trust_env=False,
                    timeout=PATIENCE_S,
                )  # fmt: skip
            finally:
                caddy.terminate()
                caddy.communicate(timeout=PATIENCE_S)
    assert asked == dict.fromkeys(("/", "/standings", "/screen"), 200) | dict.fromkeys((*PATHS, METRICS), 404)
    assert chosen.status_code == 303
