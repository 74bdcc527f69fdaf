"""A certificate that is signed by itself: made on this machine, renewed before it ends and when the machine has other
names or addresses. The page of a table by HTTPS has it, that of a phone as camera, and the broker of a hub."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from croupier.files import locked, put
from croupier.networks import own_addresses

LIFETIME: Final = timedelta(days=397)
"""Time for which a certificate holds from now on."""
BEFORE: Final = timedelta(days=365)
"""Time for which it held before: the clock of this machine or of a phone may be that of last autumn. With the lifetime
it is less than the 825 days that Apple's systems accept of a certificate that a person trusts."""
_MOST_NAMES: Final = 40
"""Names of a certificate: those of a machine with eight interfaces, and the addresses of its last networks."""
RENEWED: Final = timedelta(days=30)
"""Time before its expiry at which a certificate is renewed."""


def names_of_this_machine() -> tuple[str, ...]:
    """Return names and addresses by which a phone may reach this machine."""
    host = socket.gethostname()
    return tuple(dict.fromkeys(("localhost", host, f"{host}.local", "127.0.0.1", "::1", *own_addresses())))


class ServerCertificate:
    """The certificate of a running server, in ``file``: renewed before it ends, and when this machine has more names.
    ``names``: returns those of now."""

    def __init__(self, file: Path, names: Callable[[], Collection[str]] = names_of_this_machine) -> None:
        self.file, self._names, self.fingerprint = file, names, ""
        self._held: frozenset[str] = frozenset()
        self._begins = self._until = datetime.min.replace(tzinfo=UTC)

    def renew(self, now: datetime | None = None) -> bool:
        """Make or renew it, if it is time; whether another one is in the file. ``now``: as in `own_certificate`.

        Raises:
            CannotWrite: the file cannot be written.
        """
        names, now = self._names(), now or _today()
        if self._begins <= now < self._until and self._held.issuperset(names):
            return False
        before, self.fingerprint = self.fingerprint, own_certificate(self.file, names, now)
        certificate = x509.load_pem_x509_certificate(self.file.read_bytes())
        self._held = frozenset(_held(certificate))
        self._begins, self._until = certificate.not_valid_before_utc, certificate.not_valid_after_utc - RENEWED
        return before != self.fingerprint


def own_certificate(file: Path, names: Collection[str], now: datetime | None = None) -> str:
    """Return the fingerprint (SHA-256) of the certificate in ``file`` (PEM with its key, mode 0600), which is made or
    renewed if it does not hold for all ``names`` any longer. A renewed one also holds for names that it held for last,
    `_MOST_NAMES` in all: a machine that goes back and forth between two networks keeps its certificate, which phones
    know.

    Raises:
        CannotWrite: the file cannot be written.
    """
    now = now or _today()
    certificate: x509.Certificate | None = None
    with locked(file.parent):  # page and camera of a table see in the same moment that it has to be renewed
        with suppress(OSError, ValueError):
            pem = file.read_bytes()
            serialization.load_pem_private_key(pem, None)
            certificate = x509.load_pem_x509_certificate(pem)
        held = [] if certificate is None else _held(certificate)
        if certificate is None or not (_is_current(certificate, now) and {*held} >= {*names}):
            certificate = _make(file, [*dict.fromkeys((*names, *held))][: max(_MOST_NAMES, len(names))], now)
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def _today() -> datetime:
    """Return the date, at least when this program was installed: a clock that shows less is wrong."""
    return max(datetime.now(UTC), datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC))


def _held(certificate: x509.Certificate) -> list[str]:
    """The names for which it holds."""
    try:
        known = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [str(name.value) for name in known]


def _is_current(certificate: x509.Certificate, now: datetime) -> bool:
    return certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc - RENEWED


def _make(file: Path, names: Collection[str], now: datetime) -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Croupier")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BEFORE)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.SubjectAlternativeName([_general_name(one) for one in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    put(file, private + certificate.public_bytes(pem), 0o600)
    return certificate


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
