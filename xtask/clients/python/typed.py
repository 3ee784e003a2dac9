"""The library instructor, which pins versions of the official libraries that the others do not accept."""

from talks import MODEL, check_person


def run_instructor(talk, kind):
    import instructor
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str
        age: int

    words = "person-text"
    if kind == "anthropic":
        from anthropic import Anthropic

        words = "person-call"
        client = instructor.from_anthropic(Anthropic(base_url=talk.url, api_key="none", max_retries=0))
        more = {"max_tokens": 512}
    elif kind == "gemini":
        from google import genai
        from google.genai import types

        options = types.HttpOptions(base_url=talk.url)
        client = genai.Client(api_key="none", vertexai=False, http_options=options)
        client = instructor.from_genai(client, mode=instructor.Mode.GENAI_STRUCTURED_OUTPUTS)
        more = {}
    else:
        from openai import OpenAI

        client = OpenAI(base_url=talk.url + "/v1", api_key="none", max_retries=0)
        mode = instructor.Mode.JSON_SCHEMA
        if kind == "tools":
            mode, words = instructor.Mode.TOOLS, "person-call"
        client, more = instructor.from_openai(client, mode=mode), {}
    messages = [{"role": "user", "content": talk.ask(words)}]
    check_person(client.create(model=MODEL, response_model=Person, messages=messages, max_retries=0, **more))


def bind(run, kind):
    return lambda talk: run(talk, kind)


KINDS = ("tools", "chat", "anthropic", "gemini")
CASES = [("instructor", f"{kind}: typed answer", bind(run_instructor, kind)) for kind in KINDS]
