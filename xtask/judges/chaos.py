"""aimock (npm @copilotkit/aimock) with each kind of its chaos, in each wire format: for one request, and for ever.

Usage: chaos.py WINDLASS FOLDER [WORD]. FOLDER has `second_mock.mjs` beside its packages. Prints a line of JSON for
each fault and format. WORD restricts the cases.
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import urllib.request

from place import Run, ask

SCRIPT = pathlib.Path(__file__).with_name("script.json")
ANSWER = "It says hello: 👋 Zürich."
FORMATS = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "/v1", "gemini": "/v1beta"}
# Each kind of chaos: its settings, and a part of what the user reads while it lasts.
CHAOS = {
    "drop": ({"dropRate": 1}, "status 500"),
    "malformed": ({"malformedRate": 1}, "cannot be read"),
    "disconnect": ({"disconnectRate": 1}, "connection"),
    "rate limit": ({"rateLimitRate": 1}, "status 429"),
    "latency": ({"latencyMs": 1500}, "✓"),
}


class Mock:
    """A running aimock."""

    def __init__(self, folder):
        command = ["node", str(pathlib.Path(folder, "second_mock.mjs")), str(SCRIPT)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.url = json.loads(self.process.stdout.readline())["base_url"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def end_chaos(self, is_over):
        """Ends the chaos after the first request."""
        while not is_over.wait(0.05):
            if ask(f"{self.url}/__aimock/journal"):
                break
        request = urllib.request.Request(f"{self.url}/__aimock/chaos", method="DELETE")
        urllib.request.urlopen(request, timeout=30).close()


def play(windlass, folder, case):
    kind, form, is_short = case
    settings, words = CHAOS.get(kind, ({}, "✓"))
    arguments = [] if is_short else ["--retry-for", "4", "--retries", "2"]
    with Mock(folder) as mock, tempfile.TemporaryDirectory() as place:
        if settings:
            ask(f"{mock.url}/__aimock/chaos", settings)
        is_over = threading.Event()
        if is_short:
            threading.Thread(target=mock.end_chaos, args=[is_over], daemon=True).start()
        run = Run(windlass, place, form, mock.url + FORMATS[form], arguments)
        is_over.set()
    fails = not is_short and kind not in ("latency", "none")
    problems = [] if run.code == (1 if fails else 0) else [f"exit code {run.code}"]
    if words not in run.output:
        problems.append(f"the user does not read {words!r}")
    if not fails and ANSWER not in run.output:
        problems.append("the answer is missing")
    return {
        "judge": "aimock",
        "case": f"{kind}, {'one request' if is_short else 'for ever'}",
        "wire": form,
        "ok": not problems,
        "words": "; ".join(problems),
        "user": run.seen(),
        "code": run.code,
    }


def main():
    windlass, folder = sys.argv[1:3]
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    cases = [("none", form, False) for form in FORMATS]
    cases += [(kind, form, is_short) for form in FORMATS for kind in CHAOS for is_short in (True, False)]
    chosen = [case for case in cases if word in f"{case[0]} {case[1]}"]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for line in pool.map(lambda case: play(windlass, folder, case), chosen):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
