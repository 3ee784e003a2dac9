"""The answer that a library must return for a recording: what `windlass parse` reads in the recorded bytes."""

import jiter

# The stop reasons of each provider. A provider with the Chat format can use the words of others.
STOPS = {
    "stop": "end",
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_calls": "calls",
    "function_call": "calls",
    "tool_use": "calls",
    "completed": "end",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "content_filter": "filter",
    "refusal": "filter",
    "STOP": "end",
    "MAX_TOKENS": "length",
    "SAFETY": "filter",
}


# The numbers of Vertex AI for its stop reasons, and a proxy that leaves the reason empty.
STOPS.update({"1": "end", "2": "length", "": "end"})


def expect(recording, to):
    """Returns {text, calls, stop, usage} as the format `to` can say it, or None if the library has to raise an error."""
    own = recording.own
    if own is None or own.get("error") or own["ending"] == "dropped" or recording.status != 200:
        return None
    calls = [call for call in (_call(call, to) for call in own["tool_calls"]) if call is not None]
    usage = own["usage"]
    return {
        "text": own["text"] + own.get("refusal", ""),
        "calls": calls,
        "stop": _stop(own, calls, to),
        "usage": usage
        and {
            "input": usage["input_tokens"],
            "output": usage["output_tokens"],
            "cached": usage["cache_read_tokens"],
            "reasoning": usage["reasoning_tokens"],
        },
    }


def _call(call, to):
    name, arguments = call["name"], call["arguments"]
    if call.get("malformed"):
        # A call that was cut: Gemini's format has only whole calls, and a call without arguments can have half a name.
        if to == "gemini" or arguments == "":
            return None
        return name, jiter.from_json(arguments.encode(), partial_mode=True) if to == "anthropic" else arguments
    if isinstance(arguments, str) and to in ("anthropic", "gemini"):
        # These formats have no calls with free text.
        return name, {"input": arguments}
    return name, arguments


def _stop(own, calls, to):
    if own["ending"] == "length":
        return "length"
    if own.get("refusal") and to in ("openai-chat", "openai-responses"):
        # OpenAI's formats say a refusal by its own field.
        return "end"
    if own["ending"] == "error":
        return "filter"
    stop = STOPS.get(own["finish"], own["finish"])
    return "calls" if stop == "end" and calls else stop
