"""Runs the conversations of the Python libraries through every gateway of a stack.

Usage: suite.py MODULE STACK_JSON [WORD]. Prints a line of JSON for each conversation of the module; WORD selects
clients and cases.
"""

import importlib
import importlib.metadata
import json
import re
import sys
import time
import traceback
import warnings

warnings.filterwarnings("ignore")

from talks import Talk

# What the second mock does not have: its own format reaches it unchanged, so the gateway cannot stand in for it.
NOT_IN_AIMOCK = {
    ("list of models", None): "aimock lists other models",
    ("responses: previous_response_id", "openai-responses"): "aimock ignores previous_response_id",
    ("tool runner", "anthropic"): "aimock ignores threads",
}


def reason_to_skip(stack, case, upstream):
    if stack["mock"] != "aimock":
        return None
    return NOT_IN_AIMOCK.get((case, upstream)) or NOT_IN_AIMOCK.get((case, None))


def main():
    module, stack = importlib.import_module(sys.argv[1]), json.loads(sys.argv[2])
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    for client, case, run in module.CASES:
        if word not in f"{client} {case}":
            continue
        for upstream in stack["gateways"]:
            version = importlib.metadata.version(client)
            line = {"client": f"{client} (Python)", "version": version, "case": case, "upstream": upstream}
            if why := reason_to_skip(stack, case, upstream):
                print(json.dumps({**line, "skipped": why}), flush=True)
                continue
            name = re.sub(r"[^\w]+", "-", f"py-{client}-{case}-{upstream}")
            started = time.monotonic()
            try:
                line["words"] = run(Talk(stack, upstream, name)) or ""
                line["ok"] = True
            except Exception as error:  # The line reports whatever a library raises.
                line.update(ok=False, words=f"{type(error).__name__}: {error}"[:400])
                traceback.print_exc(limit=-4, file=sys.stderr)
            line["ms"] = round(1000 * (time.monotonic() - started))
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
