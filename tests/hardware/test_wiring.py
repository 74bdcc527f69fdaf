from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from croupier.config import load
from croupier_extras.gpio.plugin import wiring
from hardware import drive
from hardware.wiring import exit_camera, pi, pico
from hardware.wiring.__main__ import files
from hardware.wiring.model import Plan, Wire, nets, split, voltages
from tablewire.pins import PINS

ROOT = Path(__file__).parents[2]
PLANS = [
    pytest.param(pico.plan(), id="full table"),
    pytest.param(pi.plan(), id="panel"),
    pytest.param(exit_camera.plan(), id="exit camera"),
]


def too_much(plan: Plan) -> list[str]:
    """Every terminal that sees more than it bears."""
    return [
        f"{place}: {volts} V"
        for place, seen in voltages(plan).items()
        for volts in seen
        if volts > plan.terminal(place).bears and not plan.terminal(place).is_ground
    ]


def meeting_supplies(plan: Plan) -> list[set[str]]:
    """Nets that two supplies of different voltage drive."""
    driven = [{p for p in net if plan.terminal(p).gives is not None} for net in nets(plan.wires)]
    return [net for net in driven if len({plan.terminal(p).gives for p in net}) > 1]


def with_wire(plan: Plan, *wires: Wire) -> Plan:
    first = plan.harnesses[0]
    return replace(plan, harnesses=(replace(first, wires=(*first.wires, *wires)), *plan.harnesses[1:]))


def without(plan: Plan, *devices: str) -> tuple[Wire, ...]:
    return tuple(w for w in plan.wires if split(w.a)[0] not in devices and split(w.b)[0] not in devices)


def is_joined(wires: tuple[Wire, ...], a: str, b: str) -> bool:
    return any(a in net and b in net for net in nets(wires))


def test_every_pin_of_the_pin_table_is_wired_once_and_in_its_color() -> None:
    at_the_pico = Counter(p for w in pico.plan().wires for p in (w.a, w.b) if p.startswith("Pico.GP"))
    assert at_the_pico == Counter(f"Pico.GP{row.gpio}" for row in PINS)
    colors = {wire.a: wire.color for wire in pico.plan().wires}
    assert all(colors[f"Pico.GP{row.gpio}"] == row.wire for row in PINS)


def test_every_pin_of_the_pi_that_the_panel_takes_is_wired_once() -> None:
    at_the_pi = Counter(p for w in pi.plan().wires for p in (w.a, w.b) if p.startswith("Pi.GPIO"))
    taken = {gpio for name, gpio in pi.TABLE.taken() if "of SPI 0" not in name} | {pi.RING_GPIO}
    assert at_the_pi == Counter(f"Pi.GPIO{gpio}" for gpio in taken)


def test_nothing_of_the_panel_sits_on_the_pins_of_the_serial_console() -> None:
    assert not {14, 15} & {gpio for _, gpio in pi.TABLE.taken()}


def test_the_panel_is_wired_as_its_page_says(tmp_path: Path) -> None:
    text = (ROOT / "docs/panel.md").read_text(encoding="utf-8")
    file = tmp_path / "croupier.toml"
    file.write_text(text.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    told = wiring(load(file))
    assert set(told.keys) == set(pi.TABLE.keys)
    assert replace(told, keys=pi.TABLE.keys) == pi.TABLE


@pytest.mark.parametrize("plan", PLANS)
def test_every_terminal_bears_every_voltage_that_can_reach_it(plan: Plan) -> None:
    assert too_much(plan) == []


@pytest.mark.parametrize("plan", PLANS)
def test_supplies_of_different_voltages_never_meet(plan: Plan) -> None:
    assert meeting_supplies(plan) == []


@pytest.mark.parametrize("plan", PLANS)
def test_every_ground_is_one_with_all_others(plan: Plan) -> None:
    grounds = {p for w in plan.wires for p in (w.a, w.b) if plan.terminal(p).is_ground}
    assert any(grounds <= net for net in nets(plan.wires))


@pytest.mark.parametrize("plan", PLANS)
def test_every_device_is_wired_and_has_its_ground_and_its_supply(plan: Plan) -> None:
    wired = {p for w in plan.wires for p in (w.a, w.b)}
    for name, device in plan.devices.items():
        assert any(f"{name}.{one}" in wired for one in device.terminals), f"{name} hangs on nothing"
        for one, terminal in device.terminals.items():
            if terminal.is_ground or one in ("VCC", "VM", "VIO", "IN", "POWER +"):
                assert f"{name}.{one}" in wired, f"{name}.{one}"


def test_the_checks_find_5_volts_at_a_pin_of_3_3() -> None:
    wrong = with_wire(pico.plan(), Wire("5V.out", "home sensor.OUT", "red"))
    assert any(one.startswith("Pico.GP16") for one in too_much(wrong))


def test_the_checks_find_a_ring_that_is_fed_from_12_volts() -> None:
    assert any(one.startswith("ring.5V") for one in too_much(with_wire(pico.plan(), Wire("12V.out", "ring.5V", "red"))))


def test_the_checks_find_5_volts_through_a_pull_up() -> None:
    wrong = with_wire(pico.plan(), Wire("5V.out", "R home.b", "red"))
    assert too_much(wrong)


def test_the_ring_hears_5_volts_since_3_3_are_too_little_for_it() -> None:
    for plan in (pico.plan(), pi.plan()):
        assert max(voltages(plan)["ring.DIN"]) >= 0.7 * 5


def test_the_motors_current_does_not_pass_the_pico() -> None:
    bypass = without(pico.plan(), "Pico")
    for driver in ("turn driver.GND", "feed driver.POWER -"):
        assert is_joined(bypass, driver, "supply.-")
    assert is_joined(bypass, "feed driver.POWER +", "diode.cathode")
    assert is_joined(bypass, "turn driver.VM", "diode.cathode")


def test_what_a_braking_motor_gives_back_is_stored_behind_the_diode_and_reaches_nothing_else() -> None:
    plan = pico.plan()
    (motors,) = (net for net in nets(plan.wires) if "motors.out" in net)
    stores = {"store.+", "store 2.+"}
    assert motors == {"motors.out", "diode.cathode", "turn driver.VM", "feed driver.POWER +", "divider.in"} | stores


def test_the_pico_is_not_fed_by_the_supply_of_the_motors() -> None:
    (usb,) = (net for net in nets(pico.plan().wires) if "Pico.USB" in net)
    assert usb == {"Pi.USB", "Pico.USB"}


def test_the_drivers_of_the_motors_are_off_while_the_pico_starts() -> None:
    wires = pico.plan().wires
    assert is_joined(wires, "R EN.b", "Pico.3V3")
    assert is_joined(wires, "R EN.a", "turn driver.EN")
    for n in (1, 2):
        assert is_joined(wires, f"R IN{n}.a", f"feed driver.IN{n}")
        assert is_joined(wires, f"R IN{n}.b", "supply.-")


def test_the_stepper_driver_makes_the_microsteps_that_the_firmware_counts() -> None:
    for name in ("MS1", "MS2"):  # both low: 8, by the data sheet
        assert is_joined(pico.plan().wires, f"turn driver.{name}", "GND.GND")


def test_the_stepper_driver_keeps_the_whole_current_at_rest_as_its_tuning_asks() -> None:
    """It measures the motor while the firmware waits (`SETTLE_US`); a pin that floats may halve the current then."""
    assert is_joined(pico.plan().wires, "turn driver.PDN_UART", "Pico.3V3")


@pytest.mark.parametrize("opened", ["stop", "motor switch"])
@pytest.mark.parametrize("plan", PLANS[:2])
def test_emergency_stop_and_motor_switch_take_the_motors_their_current_and_nothing_else(
    plan: Plan, opened: str
) -> None:
    is_open = replace(plan, devices=plan.devices | {opened: replace(plan.devices[opened], through=())})
    dark = {place for place, seen in voltages(plan).items() if 12.0 in seen and 12.0 not in voltages(is_open)[place]}
    assert "feed driver.POWER +" in dark
    assert {place.partition(".")[0] for place in dark} <= {
        "stop", "motor switch", "diode", "motors", "store", "store 2", "turn driver", "feed driver", "divider"
    }  # fmt: skip


def test_every_cable_of_a_seat_meets_a_suppressor_and_a_filter_before_the_pin() -> None:
    wires = pico.plan().wires
    for seat in range(10):
        assert is_joined(wires, f"seat {seat}.switch 1", f"TVS {seat}.cathode")
        assert is_joined(wires, f"Pico.GP{seat}", f"C seat {seat}.+")
        assert not is_joined(wires, f"seat {seat}.switch 1", f"Pico.GP{seat}"), "only through the resistor"


def test_every_key_and_button_at_the_pi_meets_a_suppressor_and_a_filter_and_still_pulls_its_pin_low() -> None:
    plan = pi.plan()
    contacts = [(f"key {one.key}", one.gpio) for one in pi.TABLE.keys]
    contacts += [(f"seat {seat}", gpio) for seat, gpio in enumerate(pi.TABLE.buttons)]
    for name, gpio in contacts:
        assert is_joined(plan.wires, f"{name}.switch 1", f"TVS {name}.cathode")
        assert is_joined(plan.wires, f"Pi.GPIO{gpio}", f"C {name}.+")
        assert not is_joined(plan.wires, f"{name}.switch 1", f"Pi.GPIO{gpio}"), "only through the resistor"
        ohm = 330 if plan.devices[f"R {name}"].note == "330 ohm" else 1000
        pull_up = 1_800 if gpio in pi.PULLED else 50_000
        assert 3.3 * ohm / (ohm + pull_up) < 0.8, "high is not low"


def test_the_filter_of_a_seat_leaves_the_stamp_of_a_press_within_its_budget() -> None:
    assert drive.press_delay_us() + 9 < 50  # of the firmware's own, `croupier bench board`


def test_the_pico_can_be_restarted_without_opening_the_machine() -> None:
    wires = pico.plan().wires
    assert is_joined(wires, "Pico.RUN", "run.switch 1")
    assert is_joined(wires, "run.switch 2", "supply.-")


@pytest.mark.parametrize(("path", "text"), files().items(), ids=[path.stem for path in files()])
def test_the_files_of_wireviz_are_as_the_wiring_is_now(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run `make docs`, then `make hardware`"


@pytest.mark.parametrize("plan", PLANS)
def test_the_drawings_show_every_wire(plan: Plan) -> None:
    for harness in plan.harnesses:
        drawn = (ROOT / f"hardware/wiring/{harness.name}.svg").read_text(encoding="utf-8")
        shown = {unescape(text).strip() for text in re.findall(r"<text [^>]*>([^<]+)</text>", drawn)}
        for wire in harness.wires:
            for place in (wire.a, wire.b):
                label = ":".join(split(place))
                assert label in shown, f"{harness.name}: {label}: run `make hardware`"


def test_no_file_of_a_harness_is_left_over() -> None:
    folder = ROOT / "hardware/wiring"
    names = {path.stem for path in files()}
    assert {path.stem for path in folder.iterdir() if path.suffix in (".yml", ".svg")} == names
