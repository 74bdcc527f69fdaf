"""What brings the table onto a Raspberry Pi: the installer on a made-up system, the service, the rule for the Pico."""

from __future__ import annotations

import ipaddress
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from croupier.config.options import options
from croupier.config.sections import Shoe
from croupier.doctor.checks.machine import PAGE_LINE
from croupier.link.link import PICO_USB
from croupier.web.worker_process import UNIT_SOCKET
from tests.house.test_tools import program
from tools.lock import ROOT

DEPLOY = ROOT / "deploy"
UNIT, PAGE, LINE = (DEPLOY / name for name in ("croupier.service", "croupier-page.service", "croupier-page.socket"))
UNITS = (LINE.name, PAGE.name, UNIT.name)

LOG = 'echo "${0##*/} $*" >> "$MADE/asked"\n'

JOINS = """joins=''
while [ $# -gt 1 ]; do case $1 in --groups) joins=$(echo "$2" | tr , ' '); shift 2;; *) shift;; esac; done
"""

STUBS = {
    "sudo": 'exec "$@"',
    "uname": "echo ${MACHINE:-aarch64}",
    "id": """case "$*" in
-u) echo 1000;;
-un) echo tester;;
-nG*) sed -n "s/^$2 //p" "$MADE/groups";;
*) grep -qx "$2" "$MADE/users";;
esac""",
    "getent": 'case "$2" in dialout|gpio|video) ;; *) exit 2;; esac',
    "dpkg-query": 'grep -qx "$4" "$MADE/packages" && echo installed',
    "apt-get": LOG + 'for one; do case $one in -*|update|install) ;; *) echo "$one" >> "$MADE/packages";; esac; done',
    "useradd": LOG + JOINS + """echo "$1" >> "$MADE/users"; echo "$1 $1 $joins" >> "$MADE/groups\"""",
    "usermod": LOG + JOINS + """sed -i "s/^$1 .*/& $joins/" "$MADE/groups\"""",
    "udevadm": LOG,
    "systemctl": """case $1 in
is-enabled) exec test -e "$MADE/enabled-$3";;
enable) touch "$MADE/enabled-$2";;
esac
""" + LOG,
    # Nobody but root can give files away.
    "install": """while [ $# -gt 0 ]; do case $1 in -o|-g) shift 2;; *) kept="$kept '$1'"; shift;; esac; done
eval exec /usr/bin/install "$kept\"""",
    "python3": LOG + """for folder; do :; done
mkdir -p "$folder/bin"
printf '#!/bin/sh\\necho "pip $*" >> "$MADE/asked"\\n' > "$folder/bin/python"
chmod +x "$folder/bin/python\"""",
}  # fmt: skip
"""The programs of a Raspberry Pi that the installer calls, as far as it calls them."""


class Pi:
    """A made-up Raspberry Pi."""

    def __init__(self, folder: Path, codename: str = "bookworm") -> None:
        self.made, self.root = folder / "made", folder / "root"
        self.made.mkdir()
        for name in ("asked", "packages", "users", "groups"):
            (self.made / name).touch()
        for path in ("etc/udev/rules.d", "etc/systemd/system", "usr/local/bin", "var/lib", "opt"):
            (self.root / path).mkdir(parents=True)
        (self.root / "etc/os-release").write_text(f"NAME=Debian\nVERSION_CODENAME={codename}\n")
        self.stubs = folder / "stubs"
        self.stubs.mkdir()
        for name, script in STUBS.items():
            program(self.stubs, name, script)

    def install(self, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.stubs}{os.pathsep}/usr/bin{os.pathsep}/bin"
        settings = {"PATH": path, "MADE": str(self.made), "CROUPIER_ROOT": str(self.root), **environment}
        command = ["/bin/sh", str(DEPLOY / "install"), *options]
        return subprocess.run(command, env=settings, capture_output=True, text=True, check=False)

    def asked(self) -> list[str]:
        """What was asked of the system since the last call, without this checkout's folder."""
        lines = (self.made / "asked").read_text().replace(f"{ROOT}/", "").replace(str(self.root), "").splitlines()
        (self.made / "asked").write_text("")
        return lines

    def files(self) -> dict[str, str]:
        """All files, with what is in them."""
        return {
            str(path.relative_to(self.root)): str(path.readlink()) if path.is_symlink() else path.read_text()
            for path in sorted(self.root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }


@pytest.fixture
def pi(tmp_path: Path) -> Pi:
    return Pi(tmp_path)


def test_a_raspberry_pi_gets_all_that_a_table_needs(pi: Pi) -> None:
    done = pi.install()
    assert (done.returncode, done.stderr) == (0, "")
    asked = pi.asked()
    assert any("python3-picamera2" in one and "espeak-ng" in one for one in asked if one.startswith("apt-get"))
    assert "python3 -m venv --system-site-packages /opt/croupier/venv" in asked
    assert any("--require-hashes" in one and "requirements/pi-bookworm.txt" in one for one in asked)
    assert {"systemctl enable croupier.service", "systemctl enable croupier-page.socket"} <= set(asked)
    files = pi.files()
    assert files["usr/local/bin/croupier"] == "/opt/croupier/venv/bin/croupier"
    assert files["etc/udev/rules.d/99-croupier.rules"] == (DEPLOY / "99-croupier.rules").read_text()
    for name in UNITS:
        unit = files[f"etc/systemd/system/{name}"]
        assert "@" not in re.sub("@(system-service|privileged|resources)", "", unit)
    assert "SupplementaryGroups=dialout gpio video\n" in unit  # those that this machine has


def test_a_second_run_changes_nothing_but_the_program_itself(pi: Pi) -> None:
    pi.install()
    pi.asked()
    before = pi.files()
    done = pi.install()
    assert done.returncode == 0
    assert pi.files() == before
    asked = pi.asked()
    assert asked.pop(0).startswith("pip ")
    assert asked == ["systemctl start croupier-page.socket", "systemctl try-restart croupier"]
    assert done.stdout.count("is so already") == 8


def test_what_is_run_as_the_user_of_the_service_may_use_the_devices_of_the_table(pi: Pi) -> None:
    pi.install()
    (made,) = [one for one in pi.asked() if one.startswith("useradd")]
    assert "--groups dialout,gpio,video " in made  # those that this machine has
    assert (pi.made / "groups").read_text().split() == ["croupier", "croupier", "dialout", "gpio", "video"]


def test_a_user_who_is_there_already_joins_the_groups_that_are_missing(pi: Pi) -> None:
    (pi.made / "users").write_text("croupier\n")
    (pi.made / "groups").write_text("croupier croupier gpio games\n")
    told = pi.install("--dry-run").stdout
    assert "usermod --append --groups dialout,video croupier" in told
    assert pi.asked() == []
    pi.install()
    assert [one for one in pi.asked() if one.startswith("user")] == ["usermod --append --groups dialout,video croupier"]
    pi.install()
    assert not [one for one in pi.asked() if one.startswith("user")]


def test_on_a_system_without_any_of_the_groups_the_user_is_made_all_the_same(pi: Pi) -> None:
    program(pi.stubs, "getent", "exit 2")
    assert pi.install().returncode == 0
    (made,) = [one for one in pi.asked() if one.startswith("useradd")]
    assert "--groups" not in made
    assert "SupplementaryGroups=\n" in pi.files()["etc/systemd/system/croupier.service"]


def test_new_locks_bring_new_packages(pi: Pi) -> None:
    pi.install()
    (pi.root / "opt/croupier/venv/locked").write_text("older\n")
    pi.asked()
    pi.install()
    assert [one for one in pi.asked() if "--require-hashes" in one]


def test_a_dry_run_says_all_and_does_nothing(pi: Pi) -> None:
    before = pi.files()
    told = pi.install("--dry-run")
    assert (told.returncode, told.stderr) == (0, "")
    assert pi.files() == before
    assert pi.asked() == []
    for what in ("apt-get", "venv", "pip", "writes /etc/systemd/system/croupier.service", "useradd", "try-restart"):
        assert what in told.stdout


def test_root_is_asked_for_nothing_that_needs_none(pi: Pi) -> None:
    told = pi.install("--dry-run").stdout
    by_root = [line for line in told.splitlines() if "sudo " in line and not line.startswith("Ready")]
    assert by_root
    assert not [line for line in by_root if "venv" in line.replace("python3-venv", "").replace("venv/bin/croupier", "")]


def test_trixie_takes_the_same_versions_as_everybody(tmp_path: Path) -> None:
    pi = Pi(tmp_path, "trixie")
    assert pi.install().returncode == 0
    assert any("requirements/all.txt" in one for one in pi.asked())


@pytest.mark.parametrize(
    ("codename", "machine", "told"),
    [
        pytest.param("bullseye", "aarch64", "this is bullseye", id="too-old"),
        pytest.param("bookworm", "armv7l", "64-bit", id="32-bit"),
    ],
)
def test_a_system_that_it_was_not_made_for_is_left_alone(
    tmp_path: Path, codename: str, machine: str, told: str
) -> None:
    pi = Pi(tmp_path, codename)
    done = pi.install(MACHINE=machine)
    assert done.returncode == 1
    assert told in done.stderr
    assert pi.asked() == []
    assert pi.install("--anyway", "--dry-run", MACHINE=machine).returncode == 0


def test_beside_the_package_nothing_is_installed(pi: Pi) -> None:
    (pi.root / "opt/croupier").mkdir()
    (pi.root / "opt/croupier/current").symlink_to("0.2.0")
    before = pi.files()
    done = pi.install("--anyway")
    assert (done.returncode, done.stderr) == (
        1, "deploy/install: the package croupier is installed; first take it away: sudo apt remove croupier\n"
    )  # fmt: skip
    assert pi.files() == before


def test_without_a_service_there_is_no_user_and_no_unit(pi: Pi) -> None:
    assert pi.install("--no-service").returncode == 0
    assert "etc/systemd/system/croupier.service" not in pi.files()
    assert not [one for one in pi.asked() if one.startswith(("useradd", "systemctl"))]


def test_a_table_that_fails_again_and_again_is_given_up_however_long_each_start_takes() -> None:
    said = dict(re.findall(r"^(\w+)=(\d+)$", UNIT.read_text(), re.MULTILINE))
    each = int(said["RestartSec"]) + int(said["TimeoutStartSec"])
    assert int(said["StartLimitBurst"]) * each < int(said["StartLimitIntervalSec"])


def test_what_is_taken_away_leaves_the_games(pi: Pi) -> None:
    pi.install()
    journal = pi.root / "var/lib/croupier/croupier.journal"
    journal.write_text("games")
    assert pi.install("--remove").returncode == 0
    assert set(pi.files()) == {"etc/os-release", "var/lib/croupier/croupier.journal"}
    assert pi.install("--remove").returncode == 0


@pytest.mark.parametrize("where", ["udev", "systemd"])
def test_a_file_that_cannot_be_written_ends_it_and_is_not_taken_for_ready(pi: Pi, where: str) -> None:
    program(pi.stubs, "install", f'case "$*" in *{where}*) echo no room >&2; exit 1;; esac\n{STUBS["install"]}')
    done = pi.install()
    assert (done.returncode, done.stderr) == (1, "no room\n")
    assert "Ready" not in done.stdout


def test_what_is_installed_can_be_read_by_the_service_whatever_the_umask(pi: Pi) -> None:
    before = os.umask(0o077)
    try:
        pi.install()
    finally:
        os.umask(before)
    assert (pi.root / "opt/croupier/venv/bin").stat().st_mode & 0o555 == 0o555


def test_an_option_that_there_is_not(pi: Pi) -> None:
    done = pi.install("--fast")
    assert (done.returncode, done.stderr) == (
        2, "deploy/install: --fast: no such option; deploy/install --help lists them\n",
    )  # fmt: skip


SCRIPTS = ("deploy/install", "deploy/croupier", "deploy/croupier-start", "deploy/croupier-failed",
           "deploy/debian/preinst", "deploy/debian/postinst", "deploy/debian/prerm", "deploy/debian/postrm",
           "tools/find-python", "tools/apt-for-tests", "tools/gpio-sim")  # fmt: skip


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("script", SCRIPTS)
def test_shellcheck_finds_nothing(script: str) -> None:
    done = subprocess.run(["shellcheck", str(ROOT / script)], capture_output=True, text=True, check=False)
    assert done.stdout == ""


# -- the service ---------------------------------------------------------------------------------------------------


@pytest.fixture
def units(tmp_path: Path) -> tuple[Path, ...]:
    """The units as on a machine on which the program is /bin/true."""
    for name in UNITS:
        text = re.sub("@PREFIX@/venv/bin/.*", "/bin/true", (DEPLOY / name).read_text()).replace("@USER@", "croupier")
        (tmp_path / name).write_text(text)
    return tuple(tmp_path / name for name in UNITS)


def settings(unit: Path) -> dict[str, str]:
    """What a unit says; of what it says twice, the last."""
    return dict(line.split("=", 1) for line in unit.read_text().splitlines() if re.match("[A-Z][A-Za-z]+=", line))


def analyzed(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")


@systemd
def test_systemd_understands_every_line_of_the_units(units: tuple[Path, ...]) -> None:
    done = analyzed("verify", *map(str, units))
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_machine_that_starts_before_there_is_a_table_has_failed_at_nothing() -> None:
    about = UNIT.read_text().partition("[Service]")[0]
    assert "ConditionPathExists=/var/lib/croupier/croupier.toml\n" in about


@systemd
@pytest.mark.parametrize(("name", "most"), [(UNIT.name, 15), (PAGE.name, 2)])
def test_the_sandbox_holds_tight(units: tuple[Path, ...], name: str, most: int) -> None:
    """systemd's own score, in tenths: 10 is wide open, under 2 what it calls OK. What is left to the table is network
    and devices; to the page the descriptors that it is given."""
    unit = next(one for one in units if one.name == name)
    done = analyzed("security", "--offline=true", "--no-pager", f"--threshold={most}", str(unit))
    assert done.returncode == 0, done.stdout
    for closed in (
        "NoNewPrivileges=", "ProtectSystem=", "ProtectHome=", "RestrictNamespaces=~user", "PrivateMounts=",
        "SystemCallFilter=~@resources",
    ):  # fmt: skip
        assert re.search(rf"✓ {re.escape(closed)}", done.stdout), closed


def test_the_service_speaks_with_the_local_network_and_nobody_else() -> None:
    said = dict(line.split("=", 1) for line in UNIT.read_text().splitlines() if line.startswith("IPAddress"))
    assert said["IPAddressDeny"] == "any"
    names = {
        "localhost": "127.0.0.0/8 ::1",
        "link-local": "169.254.0.0/16 fe80::/64",
        "multicast": "224.0.0.0/4 ff00::/8",
    }
    networks = " ".join(names.get(one, one) for one in said["IPAddressAllow"].split()).split()
    allowed = [ipaddress.ip_network(one) for one in networks]

    def may(address: str) -> bool:
        found = ipaddress.ip_address(address)
        return any(found in network for network in allowed if network.version == found.version)

    local = ("127.0.0.1", "::1", "192.168.178.20", "10.3.0.9", "172.20.1.1", "169.254.7.7", "fd00::7", "fe80::1")
    assert all(map(may, (*local, "224.0.0.251", "ff02::fb")))  # the last two: multicast DNS
    assert not any(map(may, ("8.8.8.8", "172.32.0.1", "192.169.0.1", "2606:4700::1111")))


def test_a_flood_at_the_page_cannot_take_the_machine() -> None:
    said = dict(line.split("=", 1) for line in UNIT.read_text().splitlines() if re.match("[A-Z]\\w+=", line))
    assert int(said["MemoryHigh"].rstrip("M")) < int(said["MemoryMax"].rstrip("M")) < 900  # of the 1 GB of a Pi 3
    assert int(said["TasksMax"]) <= 512
    assert 1024 <= int(said["LimitNOFILE"]) <= 8192
    assert said["LimitCORE"] == "0"  # no secrets in a core dump


def test_the_service_runs_a_command_that_there_is_and_keeps_its_files_where_it_may_write() -> None:
    said = dict(line.split("=", 1) for line in UNIT.read_text().splitlines() if re.match("[A-Z][A-Za-z]+=", line))
    assert said["Type"] == "notify"
    assert "@PREFIX@/venv/bin/croupier " in said["ExecStart"]
    assert said["WorkingDirectory"] == f"/var/lib/{said['StateDirectory']}"
    (memory,) = (one.example for one in options(Shoe) if one.name == "memory")
    assert str(memory).startswith(f"/run/{said['RuntimeDirectory']}/")


def test_the_rule_knows_the_pico_that_the_program_looks_for() -> None:
    text = (DEPLOY / "99-croupier.rules").read_text()
    found = re.findall(r'ATTRS\{idVendor\}=="(\w+)", ATTRS\{idProduct\}=="(\w+)"', text)
    assert tuple((int(vendor, 16), int(product, 16)) for vendor, product in found) == PICO_USB


# -- the page ------------------------------------------------------------------------------------------------------


def test_the_page_has_a_user_of_its_own_in_the_group_of_the_table_and_no_network() -> None:
    page = settings(PAGE)
    assert page["DynamicUser"] == "yes"
    assert page["User"] not in ("@USER@", "root")
    assert page["Group"] == "@USER@"
    assert (page["PrivateNetwork"], page["RestrictAddressFamilies"]) == ("yes", "AF_UNIX")
    assert not any(name.startswith("ReadWrite") or name.endswith("Directory") for name in page), "it may write nowhere"
    assert "SupplementaryGroups" not in page, "the groups of the devices are the table's"


def test_nobody_but_the_table_may_call_the_page_and_it_calls_where_the_page_is() -> None:
    line = settings(LINE)
    assert (line["SocketUser"], line["SocketMode"]) == ("@USER@", "0600")
    assert f"Environment={UNIT_SOCKET}={line['ListenStream']}\n" in UNIT.read_text()
    assert line["ListenStream"] == f"/{PAGE_LINE}", "where `croupier doctor` looks"
    assert f"Wants={LINE.name}\n" in UNIT.read_text()


def test_the_page_starts_with_a_module_that_there_is() -> None:
    command, module = settings(PAGE)["ExecStart"].split(" -m ")
    assert command == "@PREFIX@/venv/bin/python -P"
    done = subprocess.run([sys.executable, "-P", "-m", module], capture_output=True, text=True, check=False)
    assert (done.returncode, "croupier-page.socket" in done.stderr) == (1, True)


def test_what_the_table_writes_its_group_may_read_and_others_nothing() -> None:
    """Secrets are in files that are made for the user alone, whatever the mask says."""
    assert settings(UNIT)["UMask"] == "0027"
    assert settings(UNIT)["StateDirectoryMode"] == "0750"


def test_settings_from_before_are_closed_to_the_group(pi: Pi) -> None:
    (pi.root / "var/lib/croupier").mkdir()
    toml = pi.root / "var/lib/croupier/croupier.toml"
    toml.write_text("[mqtt]\n")
    toml.chmod(0o644)
    pi.install()
    assert toml.stat().st_mode & 0o777 == 0o600
