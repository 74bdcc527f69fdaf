"""`croupier run` with everybody who may listen, as a shell starts it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from croupier_extras.voice.synthesis import tones
from tests.extras.test_webhooks import Server
from tests.patience import PATIENCE_S


@pytest.mark.long
@pytest.mark.slow
def test_what_is_said_at_a_table_reaches_voice_and_webhook(tmp_path: Path) -> None:
    server = Server()
    heard, program = tmp_path / "heard", tmp_path / "aplay"
    os.mkfifo(heard)
    program.write_text(f"#!/bin/sh\ncat > {heard}\n")
    program.chmod(0o755)
    (tmp_path / "croupier.toml").write_text(
        '[seats]\nnames = ["Ann", "Ben"]\ndealer = 0\n[camera]\nsource = "none"\n[page]\non = false\n'
        '[voice]\non = true\nspeech = false\nprogram = "aplay"\n'
        f'[[webhooks]]\nurl = "http://127.0.0.1:{server.port}"\nrulings = ["illegal"]\n'
    )
    table, keys = pty.openpty()
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TERM": "dumb"}
    command = [sys.executable, "-m", "croupier", "--language", "en", "run"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=keys, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as run, ExitStack() as end:  # fmt: skip
        end.callback(run.kill)
        assert run.stdout is not None
        for line, answer in (
            ("go", "turn up the first card"),
            ("laid red-7", "Ben's turn"),
            ("laid blue-9", "may not"),
        ):
            os.write(table, f"{line}\n".encode())
            while answer not in (said := run.stdout.readline()):
                assert said, f"it ended before it said: {answer}"
        assert server.next()["ruling"]["card"] == "blue-9"
        sound = subprocess.run(["cat", heard], capture_output=True, timeout=PATIENCE_S, check=True).stdout
        assert len(sound) == 2 * len(tones("illegal"))
        run.terminate()
        assert run.wait(PATIENCE_S) == 0
    os.close(table)
    os.close(keys)
    server.stop()
