"""Runs the talks of the programs through every gateway of a stack.

Usage: suite.py TOOLS_JSON STACK_JSON [WORD]. TOOLS_JSON maps each program to its path, or to null with the reason why it is
missing. Prints a line of JSON for each talk; WORD selects programs and talks.
"""

import json
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path

from cell import Cell
from script import SCRIPT
from talks import CASES, gap

NAMES = {
    "aider": "aider",
    "claude": "Claude Code",
    "cline": "Cline",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "llm": "llm",
    "opencode": "opencode",
    "pi": "pi",
    "qwen": "Qwen Code",
}


def version(path):
    """Returns the version that a program prints."""
    try:
        out = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=120, check=False)
    except OSError:
        # Each talk of the program reports it.
        return ""
    found = re.search(r"\d+\.\d+[\w.-]*", out.stdout + out.stderr)
    return found.group() if found else ""


def run(line, case, talk, stack, upstream, tools):
    cell = Cell(stack, upstream, case, tools)
    started = time.monotonic()
    try:
        talk(cell)
        line["ok"] = True
        line["words"] = ", ".join(sorted({str(seen) for seen in cell.relay.exchanges}))
    except Exception as error:  # The line reports whatever a proof raises.
        line.update(ok=False, words=f"{type(error).__name__}: {error}"[:1500])
        traceback.print_exc(limit=-2, file=sys.stderr)
    finally:
        cell.close()
    line["ms"] = round(1000 * (time.monotonic() - started))


def main():
    tools, stack = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    if json.loads(Path(__file__).with_name("script.json").read_text(encoding="utf-8")) != SCRIPT:
        raise SystemExit("script.json is old: python3 script.py > script.json")
    versions = {}
    for program, case, talk in CASES:
        if word not in f"{NAMES[program]} {case}":
            continue
        if program not in tools:
            line = {"client": NAMES[program], "case": case, "skipped": "it is not installed"}
            for upstream in stack["gateways"]:
                print(json.dumps({**line, "upstream": upstream}), flush=True)
            continue
        if program not in versions:
            versions[program] = version(tools[program])
        for upstream in stack["gateways"]:
            line = {"client": NAMES[program], "version": versions[program], "case": case, "upstream": upstream}
            if why := gap(stack, program, case, upstream):
                print(json.dumps({**line, "skipped": why}), flush=True)
                continue
            run(line, f"{program}-{case}", talk, stack, upstream, tools)
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
