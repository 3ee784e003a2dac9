"""The conversations that every library has, and the proof that they reached the upstream whole."""

import json
import urllib.parse
import urllib.request

SYSTEM = "You are a brief weather service."
FIRST = "I look."
ANSWER = "Zürich has 12 degrees, and São Paulo has 31."
AGAIN = "Yes, as I said."
CITIES = ["Zürich", "São Paulo"]
DEGREES = {"Zürich": "12 Celsius", "São Paulo": "31 Celsius"}
MODEL = "scripted-1"
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The name of a city."}},
    "required": ["city"],
    "additionalProperties": False,
}
ABOUT = "Returns the weather of a city."
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


def weather(city: str) -> str:
    """Returns the weather of a city.

    Args:
        city: The name of a city.
    """
    return f"It has {DEGREES[city]}."


def same(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: found {found!r}, expected {expected!r}")


def contains(what, found, expected):
    if expected not in (found or ""):
        raise AssertionError(f"{what}: {expected!r} is not in {found!r}")


class Talk:
    """One conversation of one library through one gateway."""

    def __init__(self, stack, upstream, case):
        self.url = stack["gateways"][upstream]
        self.recorder = stack["recorder"]
        self.case = case

    def ask(self, kind="weather"):
        """Returns the first message, by which the mock finds its script and the recorder the requests."""
        return f"{kind}-talk case={self.case}: how is the weather in Zürich and São Paulo? Who was Ada Lovelace?"

    def recorded(self):
        address = f"{self.recorder}/recorded?case={urllib.parse.quote(self.case)}"
        with urllib.request.urlopen(address) as answer:
            return json.load(answer)

    def check_upstream(self, requests=None, results=True, system=True):
        """Checks that the upstream got the prompt, and the results of both calls."""
        recorded = self.recorded()
        if not recorded:
            raise AssertionError("no request reached the upstream")
        refused = [request["status"] for request in recorded if request["status"] != 200]
        if refused:
            raise AssertionError(f"the upstream refused with {refused}")
        if requests is not None:
            same("requests upstream", len(recorded), requests)
        last = json.dumps(json.loads(recorded[-1]["body"]), ensure_ascii=False)
        wanted = [*DEGREES.values()] if results else []
        for words in wanted + ([SYSTEM] if system else []):
            same(f"occurrences of {words!r} in the last request", last.count(words), 1)
        return recorded


def check_calls(calls):
    """Checks calls, each as (id, name, arguments)."""
    same("names", [name for _, name, _ in calls], ["weather", "weather"])
    same("arguments", [arguments for _, _, arguments in calls], [{"city": city} for city in CITIES])
    if len({call_id for call_id, _, _ in calls}) != 2:
        raise AssertionError(f"the calls share an id: {calls!r}")


def check_person(person):
    found = person if isinstance(person, dict) else vars(person)
    same("person", {key: found[key] for key in ("name", "age")}, {"name": "Ada Lovelace", "age": 36})
