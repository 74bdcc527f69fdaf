# Everything that is asked of this repository; `make` alone lists it.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
# What is imported is compiled then: most of what is installed never is.
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq install --no-compile
LOCKED := $(PIP) --require-hashes -r
# What hangs is named, with where it hangs; the other tests go on.
HANGS := -o faulthandler_timeout=1200 -o faulthandler_exit_on_timeout=true
PYTEST := $(BIN)/pytest -n auto --dist worksteal --durations=10 $(HANGS) $(RESULTS:%=--junitxml=%)
MARKS := long and not nightly
PROFILE := long
UV_VERSION := 0.13.9
# What is installed, each before those that need it; tools/lock.py reads the same list in pyproject.toml.
DISTRIBUTIONS := host/croupier-rules vision host/croupier host/croupier-tally host/croupier-table host/croupier-extras host/croupier-hub sim benchmarks
export PYTHON
# Never into a Python outside of .venv, however broken that may be.
export PIP_REQUIRE_VIRTUALENV := 1
# Whatever the machine says: Python keeps what it has compiled, since the program starts hundreds of times in a test.
export PYTHONDONTWRITEBYTECODE :=

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

setup: $(VENV)/.all ## the environment, with the program at .venv/bin/croupier
demo: setup ## a whole round at a simulated table
	@$(BIN)/croupier demo

test: $(VENV)/.dev $(VENV)/.typings $(VENV)/.picamera2 ## the checks, and every test of seconds: six minutes on two cores
	@$(MAKE) --no-print-directory -j2 check run-tests
run-tests: $(VENV)/.compiled # beside the checks, which use one core
	@tools/apt-for-tests
	@$(PYTEST)
test-long: needs-test-long ## what `make test` leaves out because it takes long; TESTS="FILE …" only in these files
	$(PYTEST) -m "$(MARKS)" --hypothesis-profile=$(PROFILE) $(TESTS)
nightly: $(VENV)/.dev $(VENV)/.typings $(VENV)/.picamera2 $(VENV)/.train $(VENV)/.fuzz $(VENV)/.mutants ## every test that there is, new seeds, fuzzing and mutants; times into docs/test-times.md: hours
	@$(BIN)/python -m tools.nightly
first-evening: $(VENV)/.dev ## evenings in strange houses: every situation of docs/first-evening.md, and what its tests say
	@tools/apt-for-tests
	@$(BIN)/python -m tools.first_evening
affected: $(VENV)/.dev ## the long tests that the change since BASE can break, as CI chooses them
	@$(BIN)/python -m tools.affected $(BASE)
test-pi: needs-test-pi ## card reader and cameras with the OpenCV and NumPy of Raspberry Pi OS 12, which are older
	PYTHONPATH=$(VENV)/pi-bookworm $(PYTEST) tests/vision tests/pictures
test-gpio: needs-test-gpio ## keys and motor on the GPIO pins of a real kernel, in qemu
	tools/gpio-sim
mutants: $(VENV)/.dev $(VENV)/.mutants ## changes the code of PART (without one it lists them), and tells which changes no test notices; ONLY='*7': a tenth
	@$(BIN)/python -m tools.mutants $(PART) $(if $(ONLY),'$(ONLY)')
fuzz: $(VENV)/.dev $(VENV)/.fuzz ## feeds the parsers with damaged input, each for SECONDS (60): nothing but CroupierError may come out
	$(BIN)/python -m tests.fuzz $(or $(SECONDS),60)
sim: $(VENV)/.dev ## the table in a deterministic simulation where all goes wrong; SEEDS=0-299, or one: SEEDS=4711; OF=tournament: the hub with its tables
	$(BIN)/python -m tests.simulation $(or $(SEEDS),0-299) $(or $(OF),table) $(RULES)
long-run: $(VENV)/.dev ## GAMES (1000) games in a row in one simulated program with faults: memory, descriptors, threads
	$(BIN)/python -m tests.simulation.long_run $(GAMES)
check: $(VENV)/.dev $(VENV)/.typings ## lint, format, types and import contracts, without the tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tools/firmware-mypy.ini
	$(BIN)/lint-imports
wheels: $(VENV)/.dev ## are all dependencies ready for 64-bit Raspberry Pi OS, for Ubuntu, and for the next Python?
	$(BIN)/python -m tools.pi_wheels
pi-instructions: $(VENV)/.dev $(VENV)/.bench ## how many instructions the card reader executes on Raspberry Pis, in several runtimes
	@tools/apt-for-tests tools/pi_instructions/apt.txt
	@$(BIN)/python -m tools.pi_instructions

deb: $(VENV)/.run ## the Debian package into out/deb; SYSTEM=trixie, MACHINE=arm64: for another release or machine
	@$(BIN)/python -m tools.deb $(SYSTEM:%=--system %) $(MACHINE:%=--machine %)
release: $(VENV)/.run ## tells what a release would have, and what is left to do by hand; DO=yes makes it in out/release, KEY=FILE signs it
	@$(BIN)/python -m tools.release $(if $(DO),--do) $(KEY:%=--key %) $(if $(DEBS),--debs '$(DEBS)')
sbom: $(VENV)/.run ## the software bill of materials (CycloneDX) into out/sbom.cdx.json
	@$(BIN)/python -m tools.sbom
audit: $(VENV)/.run ## known vulnerabilities of the locked packages, as PyPI tells them: whom it asked, when, and what nobody could tell
	@$(BIN)/python -m tools.audit

bench: $(VENV)/.bench $(VENV)/.npm ## measures this machine against the peers, as ratios
	$(BIN)/croupier bench
# Large arrays come and go all the time: memory that is kept need not be cleared by the system each time.
train: $(VENV)/.train ## makes the model of the card reader; SEED=2 only measures what another seed makes; WORK=FOLDER resumes there
	MALLOC_MMAP_THRESHOLD_=1000000000 MALLOC_TRIM_THRESHOLD_=2000000000 \
	$(BIN)/python -m training.train $(if $(SEED),--seed $(SEED)) $(if $(WORK),--work $(WORK))
vision-report: $(VENV)/.bench ## measures the card reader on the photographs, source by source; PART=photographs, synthetic, covered or peers alone, SHARE=0.1 of its scenes
	$(BIN)/python -m training.report $(if $(PART),--only $(PART)) $(if $(SHARE),--share $(SHARE))

lock: $(VENV)/.run ## the newest versions into requirements/
	$(PIP) uv==$(UV_VERSION)
	$(BIN)/python -m tools.lock
texts: $(VENV)/.dev ## texts marked in the program into the catalogs of all languages; says what is missing
	@$(BIN)/python -m tools.texts
docs: $(VENV)/.run ## what the documents tell of rules, messages, pins, wiring and power, from their tables
	$(BIN)/python -m tools.rules_table
	$(BIN)/python -m tools.protocol
	$(BIN)/python -m tools.pin_table
	$(BIN)/python -m tools.options
	$(BIN)/python -m tools.first_evening --page
	$(BIN)/python -m tools.hardware_pages
	$(BIN)/python -m hardware.wiring
site: $(VENV)/.site ## the documentation as a site that needs no network, into out/site/html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m tools.site
pictures: $(VENV)/.dev ## the pictures of README and docs: the page in a browser, the simulated table
	@tools/apt-for-tests
	$(BIN)/python -m tools.pictures
hardware: $(VENV)/.cad $(VENV)/.dev ## parts, plates, drawings and boards for builders into out/hardware; pictures and wiring drawn anew
	@tools/apt-for-tests hardware/apt.txt
	$(BIN)/python -m hardware.misfeed
	$(BIN)/python -m hardware.wiring --draw
	$(BIN)/python -m hardware.button_board
	$(BIN)/python -m hardware.board
	$(BIN)/python -m hardware.cad --pictures
	$(BIN)/python -m hardware.release
test-hardware: needs-test-hardware ## can the parts be printed, do they fit, is a card's way free?
	$(PYTEST) hardware/tests
drc: ## the design rules of KiCad on both boards
	@tools/apt-for-tests hardware/circuit/apt.txt
	@/usr/bin/python3 hardware/circuit/drc.py
clean: ## removes all that was made, the environment too
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist out

# A stamp says that its lock is installed, so that a second run has nothing to do.
# It waits for pip, which comes last, so that an environment that was broken off is made again.
$(BIN)/pip:
	@python=$$(tools/find-python) && "$$python" -m venv $(VENV)
$(VENV)/.run: requirements/pip.txt requirements/build.txt requirements/run.txt $(DISTRIBUTIONS:%=%/pyproject.toml) | $(BIN)/pip
	@echo "Setting up $(VENV) (once)"
	@$(LOCKED) requirements/pip.txt
	@$(LOCKED) requirements/build.txt -r requirements/run.txt
	@$(PIP) --no-deps --no-build-isolation $(DISTRIBUTIONS:%=--editable %)
	@touch $@
$(VENV)/.typings: requirements/typings.txt $(VENV)/.run
	@$(LOCKED) $< --target $(VENV)/typings --upgrade
	@touch $@
# An engine from npm that the conformance suite asks; where there is no npm, it is told as not installed.
$(VENV)/.npm: benchmarks/croupier_bench/conformance/npm/package-lock.json $(VENV)/.run
	@mkdir -p $(VENV)/peers && cp $(<D)/*.json $(VENV)/peers/
	@if command -v npm >/dev/null; then npm ci --prefix $(VENV)/peers --ignore-scripts --no-audit --no-fund --loglevel=error; fi
	@touch $@
# Only its source is wanted, which the driver's stand-in is compared with; it runs on a Raspberry Pi alone.
$(VENV)/.picamera2: requirements/picamera2.txt $(VENV)/.run
	@$(LOCKED) $< --no-deps --target $(VENV)/picamera2 --upgrade
	@touch $@
$(VENV)/.pi-bookworm: requirements/pi-bookworm.txt $(VENV)/.run
	@$(LOCKED) $< --no-deps --target $(VENV)/pi-bookworm --upgrade
	@touch $@
$(VENV)/.train: requirements/train.txt requirements/torch.txt $(VENV)/.run
	@$(LOCKED) $<
	@$(PIP) -r requirements/torch.txt
	@touch $@
# What a suite needs without the suite: CI installs it before suites run side by side.
needs-test-long: $(VENV)/.dev $(VENV)/.train
needs-test-pi: $(VENV)/.dev $(VENV)/.pi-bookworm
needs-test-gpio: $(VENV)/.dev
	@tools/apt-for-tests tests/gpio/apt.txt
needs-test-hardware: $(VENV)/.cad $(VENV)/.dev
	@tools/apt-for-tests hardware/apt.txt
# What all tests import is compiled once, not by each worker.
$(VENV)/.compiled: $(VENV)/.dev
	@$(BIN)/pytest --collect-only -qq >/dev/null || true # a fault is told by the tests themselves
	@touch $@
$(VENV)/.%: requirements/%.txt $(VENV)/.run
	@$(LOCKED) $<
	@touch $@

.PHONY: help setup demo test run-tests needs-test-long needs-test-pi needs-test-gpio needs-test-hardware test-long nightly first-evening affected test-pi test-gpio mutants fuzz sim long-run hardware test-hardware check wheels pi-instructions deb release sbom audit bench train vision-report lock texts docs site clean
