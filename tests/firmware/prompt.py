"""Runs in MicroPython: the raw prompt of a board, whose file system is the current folder. A reset ends it."""

import io
import sys

put = sys.stdout.buffer.write


class Reset(BaseException):
    pass


class Machine:
    @staticmethod
    def reset():
        raise Reset


sys.modules["machine"] = Machine
names = {}


def told(text):
    out = io.StringIO()
    names["print"] = lambda *words: out.write(" ".join(str(word) for word in words) + "\r\n")
    error = ""
    try:
        exec(text, names)
    except Exception as err:
        written = io.StringIO()
        sys.print_exception(err, written)
        error = written.getvalue()
    return out.getvalue(), error


line = b""
is_raw = False
while True:
    byte = sys.stdin.buffer.read(1)
    if not byte:
        break
    if byte == b"\x01":
        is_raw, line = True, b""
        put(b"raw REPL; CTRL-B to exit\r\n>")
    elif byte == b"\x02":
        is_raw = False
        put(b"\r\n>>> ")
    elif byte == b"\x03":
        line = b""
    elif is_raw and byte == b"\x04":
        put(b"OK")
        try:
            out, error = told(line.decode())
        except Reset:
            break
        put(out.encode() + b"\x04" + error.encode() + b"\x04>")
        line = b""
    elif is_raw and line + byte == b"\x05A\x01":
        put(b"R\x00")  # raw paste is not known here
        line = b""
    else:
        line += byte
        if is_raw and line == b"\x05A":
            continue
