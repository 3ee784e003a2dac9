"""Compares the rows of the gateway's table with the types of the official libraries.

Usage: names.py SURVIVES.md. Prints a line of JSON for each kind of names: the number of names in the library, and the names
without a row.
"""

import importlib.metadata
import json
import re
import sys
import typing

from anthropic.types import Message
from anthropic.types import beta as anthropic_beta
from anthropic.types import message_create_params as anthropic_request
from anthropic.types.beta import beta_raw_content_block_delta as anthropic_delta
from anthropic.types.beta import beta_raw_content_block_start_event as anthropic_block
from anthropic.types.beta import beta_raw_message_stream_event as anthropic_event
from anthropic.types.beta import message_create_params as anthropic_beta_request
from google.genai import types as gemini
from openai.types.chat import ChatCompletionChunk
from openai.types.chat import chat_completion, chat_completion_chunk
from openai.types.chat import completion_create_params as chat_request
from openai.types.responses import ResponseTextConfigParam, response_stream_event
from openai.types.responses import response_create_params as responses_request
from openai.types.shared_params import Reasoning

# Parameters of a library that are headers, or that never leave it.
NO_FIELDS = {
    "openai": set(),
    "anthropic": {"betas", "user_profile_id", "workspace_id"},
    "google-genai": {"automaticContinuation", "automaticFunctionCalling", "httpOptions", "shouldReturnHttpResponse"},
}
# Parts of each answer that hold others, and attributes that the library adds.
CONTAINERS = {
    "choices", "created", "id", "index", "model", "object", "delta", "candidates", "content",
    "automaticFunctionCallingHistory", "parsed", "sdkHttpResponse",
}  # fmt: skip


def keys(*types):
    return {name for kind in types for name in typing.get_type_hints(kind)}


def aliases(kind):
    return {field.alias or name for name, field in kind.model_fields.items()}


def discriminators(union):
    """The values of `type` of an annotated union."""
    kinds = typing.get_args(typing.get_args(union)[0])
    return {word for kind in kinds for word in typing.get_args(kind.model_fields["type"].annotation)}


def words(annotation):
    """The texts of a literal, which can be optional."""
    inner = [words(inner) for inner in typing.get_args(annotation) if not isinstance(inner, str)]
    return set().union({word for word in typing.get_args(annotation) if isinstance(word, str)}, *inner)


def inside(outer, names):
    return {f"{outer}.{name}" for name in names}


def library_names():
    """Each kind of names: the library, the section of the table, the format, and the names."""
    anthropic_fields = keys(anthropic_request.MessageCreateParamsBase, anthropic_beta_request.MessageCreateParamsBase)
    anthropic_fields |= inside("output_config", keys(anthropic_beta.BetaOutputConfigParam))
    responses_fields = keys(responses_request.ResponseCreateParamsBase)
    responses_fields |= inside("reasoning", keys(Reasoning)) | inside("text", keys(ResponseTextConfigParam))
    # The library's type of `generationConfig` lacks one field that the library writes into it.
    generation = aliases(gemini.GenerationConfig) | {"imageConfig"}
    gemini_fields = inside("generationConfig", generation) | (aliases(gemini.GenerateContentConfig) - generation)
    gemini_fields |= inside("toolConfig", aliases(gemini.ToolConfig))
    chat_parts = aliases(ChatCompletionChunk) | aliases(chat_completion_chunk.Choice)
    chat_parts |= inside("delta", aliases(chat_completion_chunk.ChoiceDelta))
    anthropic_events = discriminators(anthropic_event.BetaRawMessageStreamEvent)
    anthropic_events |= discriminators(anthropic_delta.BetaRawContentBlockDelta)
    anthropic_events |= {f"content block {word}" for word in discriminators(anthropic_block.ContentBlock)}
    gemini_parts = aliases(gemini.GenerateContentResponse) | aliases(gemini.Candidate)
    gemini_parts |= inside("parts", aliases(gemini.Part))
    gemini_stops = {reason.value for reason in gemini.FinishReason} - {"FINISH_REASON_UNSPECIFIED"}
    return [
        ("openai", "Fields", "Chat", keys(chat_request.CompletionCreateParamsBase)),
        ("openai", "Fields", "Responses", responses_fields),
        ("anthropic", "Fields", "Anthropic", anthropic_fields),
        ("google-genai", "Fields", "Gemini", gemini_fields),
        ("openai", "Events", "Chat", chat_parts - CONTAINERS),
        ("openai", "Events", "Responses", discriminators(response_stream_event.ResponseStreamEvent)),
        ("anthropic", "Events", "Anthropic", anthropic_events),
        ("google-genai", "Events", "Gemini", gemini_parts - CONTAINERS),
        ("openai", "Stop reasons", "Chat", words(chat_completion.Choice.model_fields["finish_reason"].annotation)),
        ("anthropic", "Stop reasons", "Anthropic", words(Message.model_fields["stop_reason"].annotation)),
        ("google-genai", "Stop reasons", "Gemini", gemini_stops),
    ]


def rows(table):
    """The names in the first column of each section, by section and format."""
    found = {}
    section = ""
    for line in table.splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif row := re.match(r"\| (\w+) `([^`]+)`", line):
            found.setdefault((section, row[1]), set()).add(row[2])
    return found


def has_row(name, known):
    """An object has a row if one of its fields has, because its fate is that of its fields."""
    return name in known or any(row.startswith(f"{name}.") for row in known)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = rows(file.read())
    for library, section, form, names in library_names():
        names -= NO_FIELDS[library]
        known = found.get((section, form), set())
        missing = sorted(name for name in names if not has_row(name, known))
        version = importlib.metadata.version(library)
        line = {"library": f"{library} {version}", "section": section, "format": form}
        print(json.dumps({**line, "names": len(names), "missing": missing}))


main()
