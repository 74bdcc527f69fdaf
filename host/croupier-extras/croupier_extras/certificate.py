"""A certificate that is signed by itself: made on this machine, renewed before it ends and when the machine has other
names or addresses. The page of a phone as camera has it, and the broker of a hub."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from croupier.files import put
from croupier.web.addresses import own_address

LIFETIME: Final = timedelta(days=397)
"""Time for which a certificate holds from now on."""
BEFORE: Final = timedelta(days=365)
"""Time for which it held before: the clock of this machine or of a phone may be that of last autumn. With the lifetime
it is less than the 825 days that Apple's systems accept of a certificate that a person trusts."""
RENEWED: Final = timedelta(days=30)
"""Time before its expiry at which a certificate is renewed."""


def names_of_this_machine() -> tuple[str, ...]:
    """Return names and addresses by which a phone may reach this machine."""
    host = socket.gethostname()
    names = ("localhost", host, f"{host}.local", "127.0.0.1", own_address())
    return tuple(dict.fromkeys(name for name in names if name))


def own_certificate(file: Path, names: Collection[str], now: datetime | None = None) -> str:
    """Return the fingerprint (SHA-256) of the certificate in ``file`` (PEM with its key, mode 0600), which is made or
    renewed if it does not hold for ``names`` any longer.

    Raises:
        CannotWrite: the file cannot be written.
    """
    now = now or max(datetime.now(UTC), _installed())
    certificate: x509.Certificate | None = None
    with suppress(OSError, ValueError):
        pem = file.read_bytes()
        serialization.load_pem_private_key(pem, None)
        certificate = x509.load_pem_x509_certificate(pem)
    if certificate is None or not _holds(certificate, names, now):
        certificate = _make(file, names, now)
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def _installed() -> datetime:
    """Return when this program was installed: a clock that shows less is wrong, and no phone's clock does."""
    return datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)


def _holds(certificate: x509.Certificate, names: Collection[str], now: datetime) -> bool:
    try:
        known = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    held = {str(name.value) for name in known}
    return certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc - RENEWED and held == {*names}


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
