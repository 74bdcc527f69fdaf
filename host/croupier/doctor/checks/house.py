"""What surrounds the table: its page, its voice, its broker."""

from __future__ import annotations

import socket
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Final

from croupier.doctor.check_context import Examined
from croupier.doctor.finding import Finding, absent, ok, warning
from croupier.i18n import marked

LOCAL: Final = ("127.0.0.1", "localhost", "::1")

MQTT_PORT, MQTT_TLS_PORT = 1883, 8883
BROKER_S: Final = 3.0

TRIED: Final = "Croupier"
"""What the voice is asked to say; nobody hears it."""

_SILENT: Final = marked("This table does not speak.")


def page_port(table: Examined) -> Finding:
    """Can the page listen where it should?"""
    page = table.config.page
    if not page.on:
        return absent(marked("This table has no page."))
    family = socket.AF_INET6 if ":" in page.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((page.address, page.port or 0))
        except OSError as err:
            return warning(
                marked("The page cannot have port {port} at {address}: {why}."),
                marked("Does the table run already? Else another program has it: choose another port in [page]."),
                port=page.port, address=page.address, why=str(err.strerror),
            )  # fmt: skip
    if page.port is None:
        return ok(marked("The page can have a port at {address}."), address=page.address)
    return ok(marked("The page can have port {port} at {address}."), port=page.port, address=page.address)


def page_reach(table: Examined) -> Finding:
    """Can phones reach the page?"""
    page = table.config.page
    if not page.on:
        return absent(marked("This table has no page."))
    if page.address in LOCAL:
        if not page.name:
            return ok(marked("The page can be seen on this machine alone."))
        text = marked("The page can be seen on this machine alone, and its name {name}.local is announced to nobody.")
        return warning(text, marked('Set address = "0.0.0.0" in [page], or leave its name out.'), name=page.name)
    if not page.name:
        return ok(marked("The page is open to your network."))
    return ok(marked("The page is open to your network, as {name}.local."), name=page.name)


def voice_engine(table: Examined) -> Finding:
    """Can sentences be spoken?"""
    if not table.config.voice.on:
        return absent(_SILENT)
    from croupier.observers.voice.synthesis import EspeakSynthesizer
    from croupier.observers.voice_notifier import voice_settings

    with TemporaryDirectory(prefix="croupier-") as cache:
        settings = replace(voice_settings(table.config, table.config.header()), cache=cache)
        samples = EspeakSynthesizer(settings).synthesize(TRIED)
    return ok(marked("espeak-ng speaks this language: {language}."), language=settings.language, samples=len(samples))


def voice_sound(table: Examined) -> Finding:
    """Is there a program that plays it?"""
    if not table.config.voice.on:
        return absent(_SILENT)
    from croupier.observers.voice.output import open_output
    from croupier.observers.voice_notifier import voice_settings

    open_output(voice_settings(table.config, table.config.header()))
    return ok(marked("There is a program that plays sounds; croupier voice try lets you hear it."))


def mqtt_broker(table: Examined) -> Finding:
    """Does the broker answer?"""
    mqtt = table.config.mqtt
    if mqtt.host is None:
        return absent(marked("This table tells no broker."))
    port = mqtt.port or (MQTT_TLS_PORT if mqtt.tls else MQTT_PORT)
    try:
        with socket.create_connection((mqtt.host, port), timeout=BROKER_S):
            return ok(marked("The broker answers at port {port}."), port=port)
    except OSError as err:
        return warning(
            marked("The broker {host} does not answer at port {port}: {why}."),
            marked("Look at host and port in [mqtt], and whether the broker runs; the table plays without it."),
            host=mqtt.host, port=port, why=str(err.strerror or err),
        )  # fmt: skip
