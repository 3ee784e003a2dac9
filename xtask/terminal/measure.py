"""Measures the terminal program of a release build on a pseudo-terminal, against the scripted provider.

Usage: measure.py WINDLASS

Prints a line for each figure with its limit: processor time and bytes of a stream of about 200 deltas a second, the
time from a key to the screen while it streams, the time from the start to the prompt, and that of a session of 5 MB.
Exits with 1 if a limit is not reached.
"""

import fcntl
import json
import os
import pty
import random
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

PROMPT = "describe a task".encode()
SECONDS = 30
PATIENCE = 120


class Terminal:
    """The program on a terminal of 100 columns, and everything that it wrote."""

    def __init__(self, command, folder, environment):
        self.began = time.monotonic()
        self.child, self.side = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.output = bytearray()

    def read(self, seconds):
        """Reads what is there, or waits for the first byte."""
        if select.select([self.side], [], [], seconds)[0]:
            try:
                self.output += os.read(self.side, 65536)
            except OSError:
                raise SystemExit(f"the program ended:\n{self.output.decode(errors='replace')[-2000:]}") from None

    def wait_for(self, text, begin=0):
        """Waits until a text was written after a position; returns when that was."""
        limit = time.monotonic() + PATIENCE
        while self.output.find(text, begin) < 0:
            if time.monotonic() > limit:
                raise SystemExit(f"no {text!r} in:\n{self.output.decode(errors='replace')[-2000:]}")
            self.read(0.5)
        return time.monotonic()

    def write(self, keys):
        os.write(self.side, keys.encode())

    def task(self, text):
        """Types a task. A burst with the Enter would be a paste."""
        self.write(text)
        time.sleep(0.2)
        self.write("\r")

    def processor_seconds(self):
        with open(f"/proc/{self.child}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)
        os.close(self.side)


def prose(characters):
    """Markdown as models write it: paragraphs, lists, code."""
    source = random.Random(7)
    words = "the stream of a provider is read in pieces and each piece may end in the middle of a value".split()
    text = ""
    while len(text) < characters:
        sentence = " ".join(source.choice(words) for _ in range(12)).capitalize() + ". "
        text += sentence
        chance = source.random()
        if chance < 0.15:
            text += "\n\n"
        elif chance < 0.22:
            text += "\n\n- **one** of two\n- `two` of two\n\n"
        elif chance < 0.25:
            text += "\n\n```rust\nfn main() {\n    println!(\"a line\");\n}\n```\n\n"
    return text[:characters]


def folder_size(folder):
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(folder) for name in names)


class Place:
    """A project, a state folder and a scripted provider."""

    def __init__(self, windlass, script):
        self.windlass = windlass
        self.folder = tempfile.TemporaryDirectory()
        self.project = os.path.join(self.folder.name, "project")
        self.state = os.path.join(self.folder.name, "state")
        os.mkdir(self.project)
        path = os.path.join(self.folder.name, "script.json")
        with open(path, "w") as file:
            json.dump(script, file)
        self.environment = {
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "WINDLASS_STATE_DIR": self.state,
            "HOME": self.folder.name,
        }
        self.provider = subprocess.Popen(
            [windlass, "mock", "--script", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        while not (found := re.search(r"http://[\d.]+:\d+", line := self.provider.stdout.readline())):
            assert line, "the scripted provider did not start"
        self.address = ["--model", "scripted-1", "--base-url", f"{found[0]}/v1"]
        # A continued session keeps the other settings of its first run.
        self.options = [*self.address, "--no-mcp", "--no-checkpoints"]

    def terminal(self, *words):
        words = [*words, *self.address] if words else self.options
        return Terminal([self.windlass, *words], self.project, self.environment)

    def run(self, *words):
        subprocess.run(
            [self.windlass, "run", "go on", *words], cwd=self.project, env=self.environment, check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        )

    def end(self):
        self.provider.kill()
        self.folder.cleanup()


def stream(windlass):
    text = prose(SECONDS * 200 * 5)
    keys = [chr(letter) for letter in range(0x391, 0x3FF) if chr(letter).isalpha()]
    script = {"turns": [{"steps": [{"text": text + "\n\nLast words."}], "piece": 5, "delay_ms": 4}] * 2, "fallback": "."}
    place = Place(windlass, script)
    quiet = place.terminal()
    quiet.wait_for(PROMPT)
    begin = len(quiet.output)
    quiet.task("talk")
    before, began = quiet.processor_seconds(), time.monotonic()
    seconds = quiet.wait_for(b"Last words", begin) - began
    spent = quiet.processor_seconds() - before
    written = len(quiet.output) - begin
    quiet.end()

    typed = place.terminal()
    typed.wait_for(PROMPT)
    typed.task("talk")
    time.sleep(2)
    delays = []
    for key in keys[:60]:
        begin = len(typed.output)
        began = time.monotonic()
        typed.write(key)
        delays.append((typed.wait_for(key.encode(), begin) - began) * 1000)
        until = time.monotonic() + random.Random(begin).uniform(0.1, 0.3)
        while (left := until - time.monotonic()) > 0:
            typed.read(left)
    typed.end()
    place.end()
    rate = f"{len(text) / 5 / seconds:.0f} deltas a second for {seconds:.0f} s"
    slowest = f"median {statistics.median(delays):.2f}, {len(delays)} keys while it streams"
    return [
        ("processor, in percent of one", 100 * spent / seconds, "%", 5, rate),
        ("bytes written for a byte of text", written / len(text.encode()), "", 3, rate),
        ("key to screen, the slowest", max(delays), "ms", 16, slowest),
    ]


def starts(place, *words):
    times = []
    for _ in range(10):
        terminal = place.terminal(*words)
        times.append((terminal.wait_for(PROMPT) - terminal.began) * 1000)
        terminal.end()
    return times


def started(name, times, limit):
    return name, statistics.median(times), "ms", limit, f"slowest {max(times):.0f}, {len(times)} starts"


def session(windlass):
    """A conversation whose state folder holds 5 MB, in answers of 50 kB and calls that read files of 40 kB."""
    turns = []
    for turn in range(1000):
        call = {"call": {"name": "read_file", "arguments": {"path": f"file{turn % 50}.txt"}}}
        turns += [{"steps": [call], "piece": 1000}, {"steps": [{"text": prose(50_000)}], "piece": 1000}]
    place = Place(windlass, {"turns": turns, "fallback": "."})
    for number in range(50):
        with open(os.path.join(place.project, f"file{number}.txt"), "w") as file:
            file.write("".join(f"{number} {line} {prose(60)}\n" for line in range(600)))
    count = 0
    while not os.path.exists(place.state) or folder_size(place.state) < 5_000_000:
        place.run(*(["--continue", "last", *place.address] if count else place.options))
        count += 1
    size = folder_size(place.state)
    row = started(f"start to prompt, session of {size / 1e6:.1f} MB, {count} tasks", starts(place, "--continue"), 300)
    place.end()
    return row


def judge(rows):
    """Prints a line for each figure, with its limit; returns true if all are within."""
    for name, value, unit, limit, note in rows:
        verdict = "reached" if value <= limit else "not reached"
        print(f"{name:45} {value:9.2f} {unit:3} at most {limit:5}  {verdict:11}  {note}", flush=True)
    return all(value <= limit for _, value, _, limit, _ in rows)


def main():
    windlass = os.path.abspath(sys.argv[1])
    before = os.getloadavg()[0]
    place = Place(windlass, {"turns": [], "fallback": "."})
    rows = [started("start to prompt", starts(place), 100)]
    place.end()
    rows += stream(windlass)
    rows.append(session(windlass))
    is_reached = judge(rows)
    print(f"load average before: {before:.2f}")
    sys.exit(0 if is_reached else 1)


main()
