"""Decodes the recorded answers of every format with the official library of every other format, through the proxy.

Usage: main.py WINDLASS CORPORA [WORD]. Prints a line of JSON for each recording and client: {from, to, name, verdict,
words}, with the verdict `equal`, `error` (the library raises one, as it should), `named` or `differs`. WORD restricts
the recordings by a part of their names. `differences.json` names the differences that are right, with their reasons.
"""

import fnmatch
import http.client
import json
import pathlib
import sys
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from expectation import expect
from libraries import LIBRARIES, QUESTION
from upstream import FORMATS, Gateway, decode, load, serve

# The clients of one process. More do not help on two cores.
WORKERS = 4

PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/{model}:{method}",
}


def ask_raw(url, form, model, recording):
    """Sends a request of the recording's own format, and returns the bytes of the answer."""
    method = "streamGenerateContent?alt=sse" if recording.is_stream else "generateContent"
    path = PATHS[form].format(model=model, method=method)
    body = {"model": model, "stream": recording.is_stream, "max_tokens": 9, "input": QUESTION}
    if form == "gemini":
        body = {"contents": [{"parts": [{"text": QUESTION}]}]}
    elif form != "openai-responses":
        body["messages"] = [{"role": "user", "content": QUESTION}]
    address = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def pass_through(url, form, model, recording):
    status, body = ask_raw(url, form, model, recording)
    if status != recording.status:
        return "differs", f"status {status}, recorded {recording.status}"
    if body != recording.body:
        return "differs", f"{len(body)} bytes, recorded {len(recording.body)}"
    return "equal", ""


def translate(url, to, model, recording):
    wanted = expect(recording, to)
    try:
        met = LIBRARIES[to](url, model, recording.is_stream)
    except Exception as error:  # Every library has errors of its own.
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        if wanted is None and recording.status in (200, status):
            return "error", ""
        return "differs", f"{type(error).__name__}, status {status}: {error}"[:1000]
    if wanted is None:
        return "differs", f"the recording is not complete, but the library returns {met!r}"[:600]
    return compare(wanted, met)


def compare(wanted, met):
    words = []
    for field in ("text", "calls", "stop"):
        if met[field] != wanted[field]:
            words.append(f"{field}: {met[field]!r}, expected {wanted[field]!r}")
    for field, count in (wanted["usage"] or {}).items():
        seen = (met["usage"] or {}).get(field, 0)
        if seen is not None and seen != count:
            words.append(f"usage {field}: {seen}, expected {count}")
    return ("differs", "; ".join(words)[:2000]) if words else ("equal", "")


def name_difference(differences, line):
    """Replaces the verdict of a difference that is listed. A listed one that does not occur is an error of the list."""
    for difference in differences:
        if line["to"] in difference["to"] and fnmatch.fnmatchcase(line["name"], difference["name"]):
            if line["verdict"] == "differs":
                return line | {"verdict": "named", "words": difference["reason"]}
            return line | {"verdict": "differs", "words": "is listed as a difference, but does not differ"}
    return line


def main():
    differences = json.loads(pathlib.Path(__file__).with_name("differences.json").read_bytes())
    windlass, corpora = sys.argv[1:3]
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    for form in FORMATS:
        recordings = [it for it in load(corpora, form) if word in it.name]
        if not recordings:
            continue
        decode(windlass, corpora, form, recordings)
        address, models = serve(recordings)
        with Gateway(windlass, form, address) as gateway, ThreadPoolExecutor(WORKERS) as pool:
            for to in FORMATS:
                run = pass_through if to == form else translate

                def answer(model, recording, to=to, run=run):
                    return run(gateway.url, to, model, recording)

                results = pool.map(answer, models.keys(), models.values())
                for recording, (verdict, words) in zip(models.values(), results):
                    line = {"from": form, "to": to, "name": recording.name, "verdict": verdict, "words": words}
                    print(json.dumps(name_difference(differences, line)), flush=True)


if __name__ == "__main__":
    main()
