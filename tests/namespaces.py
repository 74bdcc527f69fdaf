"""Machines and networks of their own on this machine: Linux's network namespaces (network_namespaces(7)), joined by
bridges. What a program finds there is real: its interfaces, its addresses, and who can connect to it.

    with World() as world:
        table, guest = world.machine("table"), world.machine("guest")
        home = world.network()
        home.join(table, "wlan0", "10.42.0.1/24")
        home.join(guest, "wlan0", "10.42.0.7/24")
        with table.start("python", "-m", "http.server"):
            guest.fetch("http://10.42.0.1:8000/")

A machine has a host name, a /sys and an /etc/resolv.conf of its own, which names nobody: without the last there is no
DNS. All else, such as files, it has in common with this machine. Processes of a machine that are left, and the machine,
end with the world.

It takes the rights of root, or those of a user who may make user namespaces (unshare(1)).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Self

from tests.patience import PATIENCE_S

_MACHINE: Final = """
mount -t sysfs sysfs /sys && hostname "$0" && ip link set lo up || exit 1
[ ! -e /etc/resolv.conf ] || mount --bind /dev/null /etc/resolv.conf || exit 1
echo ready; exec cat
"""
"""What keeps a machine: it ends with its standard input, so whenever the tests end."""

_FETCH: Final = """
import json, ssl, sys
from urllib.error import HTTPError
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

url, headers, ca, within_s = json.loads(sys.argv[1])
context = ssl.create_default_context(cafile=ca or None)
if not ca:
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
try:
    answer = build_opener(ProxyHandler({}), HTTPSHandler(context=context)).open(
        Request(url, headers=headers), timeout=within_s
    )
except HTTPError as err:
    answer = err
except OSError as err:
    print(json.dumps([0, "", str(getattr(err, "reason", err))]))
    sys.exit()
print(json.dumps([answer.status, answer.read().decode(errors="replace"), ""]))
"""

_LISTEN: Final = """
import socket, sys

with socket.socket(fileno=0) as parent, socket.create_server(
    (sys.argv[1], int(sys.argv[2])), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
) as listener:
    socket.send_fds(parent, [b"up"], [listener.fileno()])
"""


class NoNamespaces(OSError):
    """This system lets this user make no namespaces."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The answer to a request. ``status``: 0 where there was none; then ``error`` says why."""

    status: int
    text: str
    error: str


class Machine:
    """A machine, of which `World.machine` makes one. ``name``: its host name."""

    def __init__(self, name: str, enter: Sequence[str], maker: Sequence[str]) -> None:
        """``enter``: the command that leads to where ``maker`` makes its namespaces."""
        self.name = name
        self._keeper = subprocess.Popen(
            [*enter, *maker, "sh", "-c", _MACHINE, name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._keeper.stdout is not None
        assert self._keeper.stderr is not None
        if not self._keeper.stdout.readline():
            raise NoNamespaces(self._keeper.stderr.read().strip())

    @property
    def pid(self) -> int:
        """The process that keeps its namespaces."""
        return self._keeper.pid

    def command(self, *words: str) -> list[str]:
        """The command that runs another one on this machine."""
        user = ("-U", "--preserve-credentials") if os.getuid() else ()
        return ["nsenter", "-t", str(self.pid), *user, "-n", "-m", "-u", "--wd=.", *words]

    def run(self, *words: str) -> str:
        """Run a command to its end; what it wrote. Raises CalledProcessError."""
        done = subprocess.run(
            self.command(*words), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S
        )
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, words, done.stdout, done.stderr)
        return done.stdout

    @contextmanager
    def start(self, *words: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
        """A command that runs while the context is open, and is ended. ``options``: of `Popen`."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True} | options
        process = subprocess.Popen(self.command(*words), start_new_session=True, **options)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise

    def fetch(self, url: str, *, ca: str = "", within_s: float = 5.0, **headers: str) -> Fetched:
        """What a program on this machine gets at ``url``, without a proxy. ``ca``: a file with the certificates that it
        trusts; without one it accepts any."""
        return Fetched(*json.loads(self.run(sys.executable, "-c", _FETCH, json.dumps([url, headers, ca, within_s]))))

    def listen(self, host: str, port: int = 0) -> socket.socket:
        """A socket of this process that listens on this machine."""
        here, there = socket.socketpair()
        with here, there:
            command = self.command(sys.executable, "-c", _LISTEN, host, str(port))
            with subprocess.Popen(command, stdin=there.fileno(), stderr=subprocess.PIPE, text=True) as process:
                there.close()
                _word, descriptors, *_ = socket.recv_fds(here, 2, 1)
                if not descriptors:
                    assert process.stderr is not None
                    raise OSError(process.stderr.read().strip())
        return socket.socket(fileno=descriptors[0])

    def close(self) -> None:
        """End the machine: processes that are left there lose their networks."""
        self._keeper.communicate()


class Network:
    """A network, of which `World.network` makes one: whoever joins can connect to the others."""

    def __init__(self, world: Machine, name: str, numbers: Iterator[int]) -> None:
        self._world, self._name, self._numbers = world, name, numbers
        self._ports: dict[tuple[str, str], str] = {}
        world.run("ip", "link", "add", name, "type", "bridge", "mcast_snooping", "0")
        world.run("ip", "link", "set", name, "up")

    def join(self, machine: Machine, interface: str, *addresses: str, gateway: str = "") -> None:
        """Connect a new ``interface`` of a machine, with ``addresses`` as ``10.42.0.1/24`` or ``fd00::1/64``.
        ``gateway``: its way to all other networks."""
        port = self._ports[machine.name, interface] = f"port{next(self._numbers)}"
        peer = f"peer name {interface} netns {machine.pid}"
        self._world.run("ip", "link", "add", port, "type", "veth", *peer.split())
        self._world.run("ip", "link", "set", port, "master", self._name, "up")
        machine.run("ip", "link", "set", interface, "up")
        for address in addresses:
            add_address(machine, interface, address)
        if gateway:
            machine.run("ip", "route", "add", "default", "via", gateway)

    def unplug(self, machine: Machine, interface: str) -> None:
        """Pull the cable: the interface keeps its addresses of IPv4, without a carrier."""
        self._world.run(*f"ip link set {self._ports[machine.name, interface]} down".split())
        until = time.monotonic() + PATIENCE_S  # the kernel tells the other end within a second
        while " state UP " in machine.run("ip", "-o", "link", "show", interface):
            assert time.monotonic() < until, f"{interface} still has a carrier"

    def plug(self, machine: Machine, interface: str) -> None:
        """Plug the cable in again."""
        self._world.run(*f"ip link set {self._ports[machine.name, interface]} up".split())

    def leave(self, machine: Machine, interface: str) -> None:
        """Take the interface away."""
        self._world.run(*f"ip link delete {self._ports.pop((machine.name, interface))}".split())


class World:
    """Machines and networks, while the context is open.

    Raises:
        NoNamespaces: this system does not let this user make them.
    """

    def __init__(self) -> None:
        self._stack, self._numbers = ExitStack(), count(1)

    def __enter__(self) -> Self:
        user = ("-r",) if os.getuid() else ()
        try:
            self._ether = Machine("ether", (), ("unshare", *user, "-n", "-m", "-u"))
        except FileNotFoundError as err:
            raise NoNamespaces(str(err)) from err
        self._stack.callback(self._ether.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def machine(self, name: str) -> Machine:
        """A new machine, which is in no network yet."""
        made = Machine(name, self._ether.command(), ("unshare", "-n", "-m", "-u"))
        self._stack.callback(made.close)
        return made

    def network(self) -> Network:
        """A new network, with nobody in it yet."""
        return Network(self._ether, f"net{next(self._numbers)}", self._numbers)


def add_address(machine: Machine, interface: str, address: str) -> None:
    """Give an interface one more address, which it has at once."""
    machine.run("ip", "address", "add", address, "dev", interface, *(("nodad",) if ":" in address else ()))
