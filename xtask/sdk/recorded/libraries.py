"""The official libraries: each sends one question and returns the decoded answer as {text, calls, stop, usage}.

A stop is one of end, calls, length and filter. Usage is {input, output, cached, reasoning}, with all input and all
output tokens, or None.
"""

import functools
import json

MAX_TOKENS = 4096
QUESTION = "What does the recording say?"


class Unknown(Exception):
    """A word that the format does not define."""


def _class_of(word, classes):
    if word not in classes:
        raise Unknown(f"the stop reason {word!r}")
    return classes[word]


def _arguments(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


CHAT_STOPS = {
    "stop": "end",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
    "content_filter": "filter",
}


@functools.cache
def _openai(url):
    from openai import OpenAI

    return OpenAI(base_url=url + "/v1", api_key="none", max_retries=0, timeout=60)


def openai_chat(url, model, is_stream):
    completions = _openai(url).chat.completions
    request = {"model": model, "messages": [{"role": "user", "content": QUESTION}]}
    if is_stream:
        completion = _stream_chat(completions, request | {"stream_options": {"include_usage": True}})
    else:
        completion = completions.create(**request)
    choice = completion.choices[0]
    calls = []
    for call in choice.message.tool_calls or []:
        if call.type == "custom":
            calls.append((call.custom.name, call.custom.input))
        else:
            calls.append((call.function.name, _arguments(call.function.arguments)))
    return {
        "text": (choice.message.content or "") + (choice.message.refusal or ""),
        "calls": calls,
        "stop": _class_of(choice.finish_reason, CHAT_STOPS),
        "usage": completion.usage and _chat_usage(completion.usage),
    }


def _stream_chat(completions, request):
    from openai import ContentFilterFinishReasonError, LengthFinishReasonError

    try:
        with completions.stream(**request) as stream:
            deltas = [event.delta for event in stream if event.type == "content.delta"]
            completion = stream.get_final_completion()
        if "".join(deltas) != (completion.choices[0].message.content or ""):
            raise Unknown("the deltas are not the text")
        return completion
    except (LengthFinishReasonError, ContentFilterFinishReasonError, AttributeError):
        # The helper raises for every answer that ends so, and cannot read free-text calls.
        return _merge(completions.create(**request, stream=True))


def _merge(chunks):
    """Merges the chunks, each of which the library has parsed, to a completion."""
    from openai.types.chat import ChatCompletion

    message, calls, finish, usage, last = {"role": "assistant", "content": "", "refusal": ""}, {}, None, None, None
    for chunk in chunks:
        last, usage = chunk, chunk.usage or usage
        for choice in chunk.choices:
            finish = choice.finish_reason or finish
            for name in ("content", "refusal"):
                message[name] += getattr(choice.delta, name) or ""
            for piece in choice.delta.tool_calls or []:
                _merge_call(calls.setdefault(piece.index, {}), piece.model_dump(exclude_none=True))
    if calls:
        message["tool_calls"] = list(calls.values())
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    base = {"id": last.id, "created": last.created, "model": last.model, "object": "chat.completion"}
    return ChatCompletion.model_validate(base | {"choices": [choice], "usage": usage and usage.model_dump()})


def _merge_call(call, piece):
    for name in ("function", "custom"):
        for key, text in piece.pop(name, {}).items():
            inner = call.setdefault(name, {})
            inner[key] = inner.get(key, "") + text
    call.update(piece)


def _chat_usage(usage):
    before, after = usage.prompt_tokens_details, usage.completion_tokens_details
    return {
        "input": usage.prompt_tokens,
        "output": usage.completion_tokens,
        "cached": (before and before.cached_tokens) or 0,
        "reasoning": (after and after.reasoning_tokens) or 0,
    }


def openai_responses(url, model, is_stream):
    client = _openai(url)
    request = {"model": model, "input": QUESTION, "store": False}
    if is_stream:
        response, deltas = None, []
        for event in client.responses.create(**request, stream=True):
            if event.type in ("response.output_text.delta", "response.refusal.delta"):
                deltas.append(event.delta)
            if event.type in ("response.completed", "response.incomplete", "response.failed"):
                response = event.response
        if response is None:
            raise Unknown("the stream has no last event")
    else:
        response = client.responses.create(**request)
    if response.status == "failed":
        raise Unknown(f"failed: {response.error}")
    text, calls = _items(response)
    if is_stream and "".join(deltas) != text:
        raise Unknown("the deltas are not the text")
    if response.status == "incomplete":
        stop = {"max_output_tokens": "length", "content_filter": "filter"}
        stop = _class_of(response.incomplete_details.reason, stop)
    else:
        stop = "calls" if calls else "end"
    return {"text": text, "calls": calls, "stop": stop, "usage": response.usage and _responses_usage(response.usage)}


def _items(response):
    text, calls = "", []
    for item in response.output:
        if item.type == "message":
            text += "".join(part.text if part.type == "output_text" else part.refusal for part in item.content)
        elif item.type == "function_call":
            calls.append((item.name, _arguments(item.arguments)))
        elif item.type == "custom_tool_call":
            calls.append((item.name, item.input))
    return text, calls


def _responses_usage(usage):
    return {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cached": usage.input_tokens_details.cached_tokens,
        "reasoning": usage.output_tokens_details.reasoning_tokens,
    }


ANTHROPIC_STOPS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filter",
}


@functools.cache
def _anthropic(url):
    from anthropic import Anthropic

    return Anthropic(base_url=url, api_key="none", max_retries=0, timeout=60)


def anthropic(url, model, is_stream):
    client = _anthropic(url)
    request = {"model": model, "max_tokens": MAX_TOKENS, "messages": [{"role": "user", "content": QUESTION}]}
    if is_stream:
        with client.messages.stream(**request) as stream:
            deltas = "".join(stream.text_stream)
            message = stream.get_final_message()
    else:
        message = client.messages.create(**request)
    text = "".join(block.text for block in message.content if block.type == "text")
    if is_stream and deltas != text:
        raise Unknown("the deltas are not the text")
    usage = message.usage
    read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return {
        "text": text,
        "calls": [(block.name, block.input) for block in message.content if block.type == "tool_use"],
        "stop": _class_of(message.stop_reason, ANTHROPIC_STOPS),
        "usage": {
            "input": usage.input_tokens + read + written,
            "output": usage.output_tokens,
            "cached": read,
            # The format has no count of thoughts of its own.
            "reasoning": None,
        },
    }


GEMINI_FILTERS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY")


@functools.cache
def _gemini(url):
    from google import genai
    from google.genai import types

    options = types.HttpOptions(base_url=url, timeout=60_000)
    return genai.Client(api_key="none", vertexai=False, http_options=options)


def gemini(url, model, is_stream):
    client = _gemini(url)
    if is_stream:
        answers = list(client.models.generate_content_stream(model=model, contents=QUESTION))
    else:
        answers = [client.models.generate_content(model=model, contents=QUESTION)]
    parts, finish, usage, blocked = [], None, None, None
    for answer in answers:
        for candidate in answer.candidates or []:
            finish = candidate.finish_reason or finish
            if candidate.content and candidate.content.parts:
                parts += candidate.content.parts
        usage = answer.usage_metadata or usage
        blocked = (answer.prompt_feedback and answer.prompt_feedback.block_reason) or blocked
    calls = [(part.function_call.name, part.function_call.args or {}) for part in parts if part.function_call]
    return {
        "text": "".join(part.text for part in parts if part.text and not part.thought),
        "calls": calls,
        "stop": "filter" if blocked else _gemini_stop(finish and finish.value, calls),
        "usage": usage and _gemini_usage(usage),
    }


def _gemini_stop(word, calls):
    classes = {"STOP": "calls" if calls else "end", "MAX_TOKENS": "length"}
    classes.update(dict.fromkeys(GEMINI_FILTERS, "filter"))
    return _class_of(word, classes)


def _gemini_usage(usage):
    thoughts = usage.thoughts_token_count or 0
    return {
        "input": usage.prompt_token_count or 0,
        "output": (usage.candidates_token_count or 0) + thoughts,
        "cached": usage.cached_content_token_count or 0,
        "reasoning": thoughts,
    }


LIBRARIES = {"openai-chat": openai_chat, "openai-responses": openai_responses, "anthropic": anthropic, "gemini": gemini}
