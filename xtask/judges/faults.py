"""llmock (PyPI) injects every fault that it has into a run of `windlass run`, in each wire format, and judges the client.

Usage: faults.py WINDLASS [WORD]. Prints a line of JSON for each fault and format. WORD restricts the cases.
"""

import concurrent.futures
import json
import pathlib
import sys
import tempfile

from place import Process, Run, ask, free_port

FORMATS = {
    "openai-chat": "/v1",
    "openai-responses": "/v1",
    "anthropic": "/anthropic",
    "gemini": "/gemini/v1beta",
}
READ = {"type": "reply", "tool_calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}
WORDS = {"type": "reply", "text": "The file says hello, and nothing else is in it."}


def _fail(status, **more):
    return {"type": "fail", "status": status} | more


def _stream(kind, chunks, **more):
    return {"type": "stream_fault", "kind": kind, "after_chunks": chunks} | more


# Each fault: its behaviours, the exit code, a part of what the user reads, the findings of the judge that are right,
# and further arguments of the run.
CASES = {
    "none": ([], 0, "✓", {}, []),
    "status 500": ([_fail(500)], 0, "status 500", {}, []),
    "status 503, twice": ([_fail(503, times=2)], 0, "status 503", {}, []),
    "status 529": ([_fail(529)], 0, "status 529", {}, []),
    "status 408": ([_fail(408)], 0, "status 408", {}, []),
    "status 409": ([_fail(409)], 0, "status 409", {}, []),
    "status 429, wait 1": ([_fail(429, retry_after=1)], 0, "retrying in", {}, []),
    "status 429, wait 3600": (
        [_fail(429, retry_after=3600)],
        1,
        "wait 3600s",
        {"gave_up": "the wait is longer than --retry-for, and a run that waits an hour looks like one that hangs"},
        [],
    ),
    "status 503 for ever": ([_fail(503, times=None)], 1, "given up after", {}, ["--retry-for", "6"]),
    "status 400": ([_fail(400)], 1, "status 400", {}, []),
    "status 401": ([_fail(401)], 1, "status 401", {}, []),
    "status 403": ([_fail(403)], 1, "status 403", {}, []),
    "status 404": ([_fail(404)], 1, "status 404", {}, []),
    "status 422": ([_fail(422)], 1, "status 422", {}, []),
    "delay 2 s": ([{"type": "delay", "seconds": 2}], 0, "✓", {}, []),
    "slow first token 2 s": ([{"type": "slow_first_token", "seconds": 2}], 0, "✓", {}, []),
    "stall 3 s": (
        [_stream("stall", 0, stall_seconds=3)],
        0,
        "✓",
        {"no_read_timeout": "a stream may pause for two minutes, as models that think do"},
        [],
    ),
    "disconnect, at once": ([_stream("disconnect", 0)], 0, "retrying", {}, []),
    "disconnect, in a text": ([_stream("disconnect", 2), WORDS], 0, "retrying", {}, []),
    "truncate, at once": ([_stream("truncate", 0)], 0, "retrying", {}, []),
    "truncate, in a text": ([_stream("truncate", 2), WORDS], 0, "retrying", {}, []),
    "malformed, at once": ([_stream("malformed", 0), WORDS], 0, "retrying", {}, []),
    "malformed, in a text": ([_stream("malformed", 2), WORDS], 0, "retrying", {}, []),
    "malformed arguments": ([{"type": "tool_fault", "kind": "malformed_arguments"}], 0, "✓", {}, []),
    "unknown tool": ([{"type": "tool_fault", "kind": "unknown_tool"}], 0, "✓", {}, []),
}
# Quotas and windows are properties of the server.
SERVERS = {
    "12 requests a minute": (["--rpm", "12"], 0, "✓"),
    "a window of 3 tokens": (["--context-window", "3"], 1, "status 400"),
}


def judge(windlass, programs, fault, form, arguments, behaviors, more):
    port = free_port()
    # A stream that is not paced has ended before a client could stop reading it.
    command = [f"{programs}/llmock", "serve", "--port", str(port), "--stream-chunk-delay-ms", "30", *arguments]
    with Process(command, port) as server, tempfile.TemporaryDirectory() as folder:
        if behaviors:
            ask(f"{server.url}/_llmock/scenario", {"behaviors": behaviors})
        run = Run(windlass, folder, form, server.url + FORMATS[form], more)
        verdict = ask(f"{server.url}/_llmock/verdict")
    return run, verdict


def check(run, verdict, code, words, right):
    """Returns the reasons why the case failed, and the judge's findings that are right."""
    found = {finding["code"] for finding in verdict["findings"]}
    problems = [f"judged {code}" for code in sorted(found - right.keys())]
    if run.code != code:
        problems.append(f"exit code {run.code}, expected {code}")
    if words not in run.output:
        problems.append(f"the user does not read {words!r}")
    return problems, [f"{code}: {right[code]}" for code in sorted(found & right.keys())]


def main():
    windlass, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    programs = pathlib.Path(sys.executable).parent
    cases = []
    for form in FORMATS:
        for fault, (behaviors, code, words, right, more) in CASES.items():
            # A fault of a tool needs a call that the mock makes up; all others get a call that is right.
            plan = behaviors if behaviors and behaviors[0]["type"] == "tool_fault" else [*behaviors, READ, WORDS]
            cases.append((fault, form, [], plan, code, words, right, more))
        for fault, (arguments, code, words) in SERVERS.items():
            cases.append((fault, form, arguments, [READ, WORDS], code, words, {}, []))

    def play(case):
        fault, form, arguments, plan, code, words, right, more = case
        run, verdict = judge(windlass, programs, fault, form, arguments, plan, more)
        problems, named = check(run, verdict, code, words, right)
        if plan[0]["type"] in ("fail", "stream_fault") and not verdict["faults_injected"]:
            problems.append("the fault was not injected")
        return {
            "judge": "llmock",
            "case": fault,
            "wire": form,
            "ok": not problems,
            "words": "; ".join(problems or named),
            "user": run.seen(),
            "code": run.code,
        }

    chosen = [case for case in cases if word in f"{case[0]} {case[1]}"]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for line in pool.map(play, chosen):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
