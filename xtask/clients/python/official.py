"""The official libraries of the providers, each with its own helpers: streams, tool runners, chats, typed answers."""

import json

from talks import ABOUT, AGAIN, ANSWER, FIRST, MODEL, PERSON, SCHEMA, SYSTEM, check_calls, check_person, contains, same, weather


def openai_client(talk):
    from openai import OpenAI

    return OpenAI(base_url=talk.url + "/v1", api_key="none", max_retries=0)


def openai_chat_stream(talk):
    client = openai_client(talk)
    tools = [{"type": "function", "function": {"name": "weather", "description": ABOUT, "parameters": SCHEMA}}]
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": talk.ask()}]

    def turn():
        with client.chat.completions.stream(
            model=MODEL, messages=messages, tools=tools, stream_options={"include_usage": True}
        ) as stream:
            text = "".join(event.delta for event in stream if event.type == "content.delta")
            completion = stream.get_final_completion()
        if completion.usage is None or completion.usage.completion_tokens <= 0:
            raise AssertionError("no usage")
        return completion.choices[0], text

    choice, text = turn()
    same("finish", choice.finish_reason, "tool_calls")
    same("text", text, FIRST)
    calls = choice.message.tool_calls
    check_calls([(call.id, call.function.name, json.loads(call.function.arguments)) for call in calls])
    sent = [{"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": call.function.arguments}} for call in calls]
    messages.append({"role": "assistant", "content": choice.message.content, "tool_calls": sent})
    for call in calls:
        result = weather(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    choice, text = turn()
    same("finish", choice.finish_reason, "stop")
    same("text", text, ANSWER)
    messages += [{"role": "assistant", "content": text}, {"role": "user", "content": "Really?"}]
    _, text = turn()
    same("text", text, AGAIN)
    talk.check_upstream(requests=3)


def openai_chat_parse(talk):
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str
        age: int

    messages = [{"role": "user", "content": talk.ask("person-text")}]
    completion = openai_client(talk).chat.completions.parse(model=MODEL, messages=messages, response_format=Person)
    check_person(completion.choices[0].message.parsed)


def openai_responses_stream(talk):
    client = openai_client(talk)
    tools = [{"type": "function", "name": "weather", "description": ABOUT, "parameters": SCHEMA, "strict": True}]
    items = [{"role": "user", "content": talk.ask()}]

    def turn():
        with client.responses.stream(model=MODEL, instructions=SYSTEM, input=items, tools=tools, store=False) as stream:
            text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
            response = stream.get_final_response()
        same("status", response.status, "completed")
        if response.usage is None or response.usage.output_tokens <= 0:
            raise AssertionError("no usage")
        return response, text

    response, text = turn()
    same("text", text, FIRST)
    calls = [item for item in response.output if item.type == "function_call"]
    check_calls([(call.call_id, call.name, json.loads(call.arguments)) for call in calls])
    for item in response.output:
        sent = item.model_dump(exclude_none=True, exclude={"parsed_arguments"})
        for content in sent.get("content") or []:
            # An addition of the library.
            content.pop("parsed", None)
        items.append(sent)
    for call in calls:
        result = weather(**json.loads(call.arguments))
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
    response, text = turn()
    same("text", text, ANSWER)
    talk.check_upstream(requests=2)


def openai_responses_parse(talk):
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str
        age: int

    response = openai_client(talk).responses.parse(model=MODEL, input=talk.ask("person-text"), text_format=Person)
    check_person(response.output_parsed)


def openai_previous_response(talk):
    """The conversation goes on, or the library gets an error: never an answer without the conversation."""
    from openai import APIStatusError

    client = openai_client(talk)
    tools = [{"type": "function", "name": "weather", "description": ABOUT, "parameters": SCHEMA, "strict": True}]
    response = client.responses.create(model=MODEL, instructions=SYSTEM, input=talk.ask(), tools=tools)
    calls = [item for item in response.output if item.type == "function_call"]
    results = [
        {"type": "function_call_output", "call_id": call.call_id, "output": weather(**json.loads(call.arguments))}
        for call in calls
    ]
    try:
        response = client.responses.create(
            model=MODEL, instructions=SYSTEM, previous_response_id=response.id, input=results, tools=tools
        )
    except APIStatusError as error:
        if error.status_code not in (400, 404):
            raise
        return f"refused with {error.status_code} {error.code}"
    same("text", response.output_text, ANSWER)
    return "continued"


def openai_models(talk):
    same("models", [model.id for model in openai_client(talk).models.list()][:1], [MODEL])


def anthropic_client(talk):
    from anthropic import Anthropic

    return Anthropic(base_url=talk.url, api_key="none", max_retries=0)


def anthropic_stream(talk):
    client = anthropic_client(talk)
    tools = [{"name": "weather", "description": ABOUT, "input_schema": SCHEMA}]
    messages = [{"role": "user", "content": talk.ask()}]

    def turn():
        with client.messages.stream(model=MODEL, max_tokens=512, system=SYSTEM, messages=messages, tools=tools) as stream:
            text = "".join(stream.text_stream)
            message = stream.get_final_message()
        if message.usage.output_tokens <= 0:
            raise AssertionError("no usage")
        return message, text

    message, text = turn()
    same("stop", message.stop_reason, "tool_use")
    same("text", text, FIRST)
    calls = [block for block in message.content if block.type == "tool_use"]
    check_calls([(call.id, call.name, call.input) for call in calls])
    messages.append({"role": "assistant", "content": message.content})
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": weather(**call.input)} for call in calls]
    messages.append({"role": "user", "content": results})
    message, text = turn()
    same("stop", message.stop_reason, "end_turn")
    same("text", text, ANSWER)
    messages += [{"role": "assistant", "content": message.content}, {"role": "user", "content": "Really?"}]
    message, text = turn()
    same("text", text, AGAIN)
    talk.check_upstream(requests=3)


def anthropic_tool_runner(talk):
    from anthropic import beta_tool

    runner = anthropic_client(talk).beta.messages.tool_runner(
        model=MODEL,
        max_tokens=512,
        system=SYSTEM,
        tools=[beta_tool(weather)],
        messages=[{"role": "user", "content": talk.ask()}],
    )
    message = runner.until_done()
    same("text", "".join(block.text for block in message.content if block.type == "text"), ANSWER)
    recorded = [json.loads(request["body"]) for request in talk.recorded()]
    contains("the last request", json.dumps(recorded[-1], ensure_ascii=False), "31 Celsius")


def anthropic_count(talk):
    count = anthropic_client(talk).messages.count_tokens(model=MODEL, messages=[{"role": "user", "content": talk.ask()}])
    if count.input_tokens <= 0:
        raise AssertionError("no tokens")


def gemini_client(talk):
    """Returns a client, which closes its connections when it is dropped."""
    from google import genai
    from google.genai import types

    return genai.Client(api_key="none", vertexai=False, http_options=types.HttpOptions(base_url=talk.url))


def gemini_config(**more):
    from google.genai import types

    return types.GenerateContentConfig(system_instruction=SYSTEM, tools=[weather], **more)


def gemini_automatic_calls(talk):
    client = gemini_client(talk)
    response = client.models.generate_content(model=MODEL, contents=talk.ask(), config=gemini_config())
    same("text", response.text, ANSWER)
    if not response.usage_metadata or not response.usage_metadata.candidates_token_count:
        raise AssertionError("no usage")
    talk.check_upstream(requests=2)


def gemini_chat(talk):
    client = gemini_client(talk)
    chat = client.chats.create(model=MODEL, config=gemini_config())
    same("text", chat.send_message(talk.ask()).text, ANSWER)
    same("text", chat.send_message("Really?").text, AGAIN)
    talk.check_upstream(requests=3)


def gemini_chat_stream(talk):
    client = gemini_client(talk)
    chat = client.chats.create(model=MODEL, config=gemini_config())

    def say(words):
        return "".join(chunk.text or "" for chunk in chat.send_message_stream(words))

    contains("text", say(talk.ask()), ANSWER)
    same("text", say("Really?"), AGAIN)
    talk.check_upstream(requests=3)


def gemini_schema(talk):
    from google.genai import types

    config = types.GenerateContentConfig(response_mime_type="application/json", response_json_schema=PERSON)
    client = gemini_client(talk)
    response = client.models.generate_content(model=MODEL, contents=talk.ask("person-text"), config=config)
    check_person(json.loads(response.text))


def gemini_count(talk):
    client = gemini_client(talk)
    if client.models.count_tokens(model=MODEL, contents=talk.ask()).total_tokens <= 0:
        raise AssertionError("no tokens")


CASES = [
    ("openai", "chat: streams, tools, three turns", openai_chat_stream),
    ("openai", "chat: typed answer", openai_chat_parse),
    ("openai", "responses: streams, tools", openai_responses_stream),
    ("openai", "responses: typed answer", openai_responses_parse),
    ("openai", "responses: previous_response_id", openai_previous_response),
    ("openai", "list of models", openai_models),
    ("anthropic", "streams, tools, three turns", anthropic_stream),
    ("anthropic", "tool runner", anthropic_tool_runner),
    ("anthropic", "count of tokens", anthropic_count),
    ("google-genai", "automatic calls", gemini_automatic_calls),
    ("google-genai", "chat", gemini_chat),
    ("google-genai", "chat, streamed", gemini_chat_stream),
    ("google-genai", "schema of JSON", gemini_schema),
    ("google-genai", "count of tokens", gemini_count),
]
