"""An MCP server with one tool, on standard input and output: looks up a number that a program cannot know.

Usage: probe.py LOG. Appends the arguments of each call to LOG.
"""

import json
import sys

NUMBERS = {"alpha": "alpha is 7351", "beta": "beta is 9024"}
TOOL = {
    "name": "lookup",
    "description": "Looks up the number of a word in the probe's table of numbers.",
    "inputSchema": {
        "type": "object",
        "properties": {"word": {"type": "string", "description": "The word."}},
        "required": ["word"],
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
}


def call(params):
    arguments = params.get("arguments") or {}
    with open(sys.argv[1], "a", encoding="utf-8") as log:
        log.write(json.dumps(arguments) + "\n")
    number = NUMBERS.get(arguments.get("word"))
    return {"content": [{"type": "text", "text": number or "unknown word"}], "isError": number is None}


def answer(method, params):
    if method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        capabilities = {"tools": {"listChanged": False}}
        return {"protocolVersion": version, "capabilities": capabilities, "serverInfo": {"name": "probe", "version": "1"}}
    results = {"tools/list": lambda: {"tools": [TOOL]}, "tools/call": lambda: call(params), "ping": dict}
    return results[method]() if method in results else None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    result = answer(message["method"], message.get("params") or {})
    reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "unknown method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
