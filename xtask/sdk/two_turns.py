"""Two streamed turns with two parallel calls, by each official library, against one server.

Usage: two_turns.py BASE_URL. Prints a line of JSON for each library and format; exits with 1 if one fails.
The server follows `script.json` beside this file, behind whatever stands between.
"""

import importlib.metadata
import json
import sys
import traceback

TOOL = "read_file"
ABOUT = "Reads a file."
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}
SYSTEM = "You are brief."
TASK = "What do the files say?"
CALLS = [{"path": 'a "quoted".txt'}, {"path": "dir/é🦀.txt"}]
FIRST = "I read both."
LAST = "They say hello."
RESULTS = ["hello", "hello again"]
MODEL = "scripted-1"


def same(what, met, wanted):
    if met != wanted:
        raise AssertionError(f"{what}: found {met!r}, expected {wanted!r}")


def check_calls(calls):
    """Each call is (id, name, arguments)."""
    same("names", [name for _, name, _ in calls], [TOOL, TOOL])
    same("arguments", [arguments for _, _, arguments in calls], CALLS)
    if len({call_id for call_id, _, _ in calls}) != 2:
        raise AssertionError(f"the calls share an id: {calls!r}")


def openai_chat(url):
    from openai import OpenAI

    client = OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
    tools = [{"type": "function", "function": {"name": TOOL, "description": ABOUT, "parameters": SCHEMA}}]
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]

    def turn():
        with client.chat.completions.stream(
            model=MODEL, messages=messages, tools=tools, stream_options={"include_usage": True}
        ) as stream:
            deltas = [event.delta for event in stream if event.type == "content.delta"]
            return stream.get_final_completion(), "".join(deltas)

    completion, text = turn()
    choice = completion.choices[0]
    same("finish", choice.finish_reason, "tool_calls")
    same("text", text, FIRST)
    calls = choice.message.tool_calls
    check_calls([(call.id, call.function.name, json.loads(call.function.arguments)) for call in calls])
    if completion.usage is None or completion.usage.completion_tokens <= 0:
        raise AssertionError("no usage")
    sent = [
        {"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": call.function.arguments}}
        for call in calls
    ]
    messages.append({"role": "assistant", "content": choice.message.content, "tool_calls": sent})
    for call, result in zip(calls, RESULTS):
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    completion, text = turn()
    same("finish", completion.choices[0].finish_reason, "stop")
    same("text", text, LAST)


def openai_responses(url):
    from openai import OpenAI

    client = OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
    tools = [{"type": "function", "name": TOOL, "description": ABOUT, "parameters": SCHEMA, "strict": True}]
    items = [{"role": "user", "content": TASK}]

    def turn():
        with client.responses.stream(model=MODEL, instructions=SYSTEM, input=items, tools=tools, store=False) as stream:
            deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
            return stream.get_final_response(), "".join(deltas)

    response, text = turn()
    same("status", response.status, "completed")
    same("text", text, FIRST)
    calls = [item for item in response.output if item.type == "function_call"]
    check_calls([(call.call_id, call.name, json.loads(call.arguments)) for call in calls])
    if response.usage is None or response.usage.output_tokens <= 0:
        raise AssertionError("no usage")
    items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments", "parsed"}) for item in response.output]
    for item in items:
        # The library's own additions are not of the API.
        for content in item.get("content") or [] if isinstance(item.get("content"), list) else []:
            content.pop("parsed", None)
    for call, result in zip(calls, RESULTS):
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
    response, text = turn()
    same("status", response.status, "completed")
    same("text", text, LAST)


def anthropic_messages(url):
    from anthropic import Anthropic

    client = Anthropic(base_url=url, api_key="none", max_retries=0)
    tools = [{"name": TOOL, "description": ABOUT, "input_schema": SCHEMA}]
    messages = [{"role": "user", "content": TASK}]

    def turn():
        with client.messages.stream(
            model=MODEL, max_tokens=512, system=SYSTEM, messages=messages, tools=tools
        ) as stream:
            text = "".join(stream.text_stream)
            return stream.get_final_message(), text

    message, text = turn()
    same("stop", message.stop_reason, "tool_use")
    same("text", text, FIRST)
    calls = [block for block in message.content if block.type == "tool_use"]
    check_calls([(call.id, call.name, call.input) for call in calls])
    if message.usage.output_tokens <= 0:
        raise AssertionError("no usage")
    messages.append({"role": "assistant", "content": message.content})
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": result} for call, result in zip(calls, RESULTS)
    ]
    messages.append({"role": "user", "content": results})
    message, text = turn()
    same("stop", message.stop_reason, "end_turn")
    same("text", text, LAST)


def google_genai(url):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="none", vertexai=False, http_options=types.HttpOptions(base_url=url))
    function = types.FunctionDeclaration(
        name=TOOL, description=ABOUT, parameters_json_schema={key: SCHEMA[key] for key in ("type", "properties", "required")}
    )
    config = types.GenerateContentConfig(
        system_instruction=SYSTEM,
        tools=[types.Tool(function_declarations=[function])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents = [types.Content(role="user", parts=[types.Part(text=TASK)])]

    def turn():
        parts, finish, usage = [], None, None
        for chunk in client.models.generate_content_stream(model=MODEL, contents=contents, config=config):
            for candidate in chunk.candidates or []:
                finish = candidate.finish_reason or finish
                if candidate.content and candidate.content.parts:
                    parts += candidate.content.parts
            usage = chunk.usage_metadata or usage
        text = "".join(part.text for part in parts if part.text and not part.thought)
        return parts, text, finish, usage

    parts, text, finish, usage = turn()
    same("finish", finish, types.FinishReason.STOP)
    same("text", text, FIRST)
    calls = [part.function_call for part in parts if part.function_call]
    check_calls([(call.id or str(at), call.name, call.args) for at, call in enumerate(calls)])
    if usage is None or not usage.candidates_token_count:
        raise AssertionError("no usage")
    contents.append(types.Content(role="model", parts=parts))
    results = [
        types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"output": result}))
        for call, result in zip(calls, RESULTS)
    ]
    contents.append(types.Content(role="user", parts=results))
    _, text, finish, _ = turn()
    same("finish", finish, types.FinishReason.STOP)
    same("text", text, LAST)


CLIENTS = [
    ("openai", "openai-chat", openai_chat),
    ("openai", "openai-responses", openai_responses),
    ("anthropic", "anthropic", anthropic_messages),
    ("google-genai", "gemini", google_genai),
]


def main():
    url = sys.argv[1].rstrip("/")
    failed = False
    for library, form, client in CLIENTS:
        line = {"library": library, "version": importlib.metadata.version(library), "format": form}
        try:
            client(url)
            line["ok"] = True
        except Exception as error:  # Whatever a library raises is what is told.
            failed = True
            line.update(ok=False, error=f"{type(error).__name__}: {error}", where=traceback.format_exc(limit=-3))
        print(json.dumps(line), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
