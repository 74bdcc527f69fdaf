"""What surrounds the table: its page, its voice, its broker."""

from __future__ import annotations

import socket
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Final

from croupier.app.doctor.examined import Examined
from croupier.app.doctor.finding import Finding, absent, ok, warning

LOCAL: Final = ("127.0.0.1", "localhost", "::1")

MQTT_PORT, MQTT_TLS_PORT = 1883, 8883
BROKER_S: Final = 3.0

TRIED: Final = "Croupier"
"""What the voice is asked to say; nobody hears it."""

_SILENT: Final = "This table does not speak."


def page_port(table: Examined) -> Finding:
    """Can the page listen where it should?"""
    page = table.config.page
    if not page.on:
        return absent("This table has no page.")
    family = socket.AF_INET6 if ":" in page.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((page.address, page.port or 0))
        except OSError as err:
            remedy = "is the table already running? Else another program has it: choose another port in [page]"
            return warning(f"Port {page.port} at {page.address} cannot be had: {err.strerror}.", remedy)
    where = f"port {page.port}" if page.port else "a free port"
    return ok(f"The page can have {where} at {page.address}.")


def page_reach(table: Examined) -> Finding:
    """Can phones reach the page?"""
    page = table.config.page
    if not page.on:
        return absent("This table has no page.")
    if page.address in LOCAL:
        told = "The page can be seen on this machine alone."
        if page.name:
            remedy = 'set address = "0.0.0.0" in [page], or leave its name out'
            return warning(f"{told} Its name, {page.name}.local, is announced to nobody.", remedy)
        return ok(told)
    return ok("The page is open to your network." + (f" Its name is {page.name}.local." if page.name else ""))


def voice_engine(table: Examined) -> Finding:
    """Can sentences be spoken?"""
    if not table.config.voice.on:
        return absent(_SILENT)
    from croupier.app.listeners.voice import settings
    from croupier.voice.speech import Speech

    with TemporaryDirectory(prefix="croupier-") as cache:
        how = replace(settings(table.config, table.config.header()), cache=cache)
        samples = Speech(how).said(TRIED)
    return ok(f"espeak-ng speaks the language {how.language}.", samples=len(samples))


def voice_sound(table: Examined) -> Finding:
    """Is there a program that plays it?"""
    if not table.config.voice.on:
        return absent(_SILENT)
    from croupier.app.listeners.voice import settings
    from croupier.voice.output import output

    output(settings(table.config, table.config.header()))
    return ok("There is a program that plays sounds; croupier voice try lets you hear it.")


def mqtt_broker(table: Examined) -> Finding:
    """Does the broker answer?"""
    mqtt = table.config.mqtt
    if mqtt.host is None:
        return absent("This table tells no broker.")
    port = mqtt.port or (MQTT_TLS_PORT if mqtt.tls else MQTT_PORT)
    try:
        with socket.create_connection((mqtt.host, port), timeout=BROKER_S):
            return ok(f"The broker answers at port {port}.")
    except OSError as err:
        remedy = "look at host and port in [mqtt], and whether the broker runs; the table plays without it"
        return warning(f"{mqtt.host}, port {port}: {err.strerror or err}.", remedy)
