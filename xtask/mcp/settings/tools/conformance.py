"""Tools of the names and answers that the MCP conformance suite wants, as lines of JSON for windlass."""

import json
import sys
import time

# One red pixel.
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
NOTHING = {"type": "object", "properties": {}}
TOOLS = {
    "test_simple_text": NOTHING,
    "test_image_content": NOTHING,
    "test_error_handling": NOTHING,
    "test_tool_with_progress": NOTHING,
    "json_schema_2020_12_tool": SCHEMA_2020,
}


def say(message):
    print(json.dumps(message), flush=True)


def call(number, tool):
    if tool == "test_simple_text":
        say({"id": number, "text": "This is a simple text response for testing."})
    elif tool == "test_image_content":
        say({"id": number, "content": [{"type": "image", "mime": "image/png", "data": PICTURE}]})
    elif tool == "test_error_handling":
        say({"id": number, "error": "This tool intentionally returns an error for testing"})
    elif tool == "test_tool_with_progress":
        for part in ("0 of 100", "50 of 100", "100 of 100"):
            say({"id": number, "progress": part})
            time.sleep(0.05)
        say({"id": number, "text": "all of it"})
    else:
        say({"id": number, "text": "called"})


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "list":
            tools = [
                {"name": name, "description": "For the conformance suite.", "schema": schema, "read_only": True}
                for name, schema in TOOLS.items()
            ]
            say({"id": message["id"], "tools": tools})
        elif message.get("method") == "call":
            call(message["id"], message["tool"])


if __name__ == "__main__":
    main()
