"""Servers and runs of the judges: each run has a home and a workspace of its own."""

import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

TIMEOUT = 240
TASK = "What does a.txt say?"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ask(url, body=None):
    """Sends a request with a JSON body, if there is one, and returns the JSON of the answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


class Process:
    """A server on a port of this machine, which is killed at the end of the block."""

    def __init__(self, command, port, **options):
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
        )
        self._wait(port)

    def _wait(self, port):
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.process.kill()
        raise RuntimeError(f"{self.process.args[0]} does not listen")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def environment(folder):
    """Returns the environment of a program that shall find nothing of the user's."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
    return kept | {"HOME": f"{folder}/home", "NO_COLOR": "1", "TERM": "dumb", "OPENAI_API_KEY": "none",
                   "ANTHROPIC_API_KEY": "none", "GEMINI_API_KEY": "none"}


class Run:
    """A run of `windlass run` to its end."""

    def __init__(self, windlass, folder, wire, url, arguments=(), model="scripted-1"):
        root = pathlib.Path(folder, "work")
        root.mkdir()
        pathlib.Path(folder, "home").mkdir()
        root.joinpath("a.txt").write_text("hello\n")
        command = [windlass, "run", TASK, "--wire", wire, "--base-url", url, "--model", model]
        command += ["--root", str(root), *arguments]
        start = time.monotonic()
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=environment(folder), timeout=TIMEOUT, check=False,
            )
            self.code, self.output = done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as late:
            self.code, self.output = None, (late.stdout or b"").decode(errors="replace")
        self.seconds = time.monotonic() - start

    def seen(self):
        """Returns the lines that tell the fault, or the last one."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        telling = [line for line in lines if any(word in line for word in ("retrying", "status", "failed", "✗"))]
        return (telling or lines[-1:])[:3]
