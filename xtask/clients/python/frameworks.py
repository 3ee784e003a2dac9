"""Frameworks over the official libraries: each runs its own loop of tools and reads a typed answer."""

import asyncio
import json

from talks import ABOUT, ANSWER, MODEL, SCHEMA, SYSTEM, check_person, contains, same, weather


def run_agents(talk, kind):
    import openai
    from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool
    from agents import set_tracing_disabled
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str
        age: int

    set_tracing_disabled(True)
    model_class = OpenAIChatCompletionsModel if kind == "chat" else OpenAIResponsesModel

    async def converse():
        client = openai.AsyncOpenAI(base_url=talk.url + "/v1", api_key="none", max_retries=0)
        model = model_class(model=MODEL, openai_client=client)
        settings = ModelSettings(include_usage=True)
        agent = Agent(name="a", instructions=SYSTEM, tools=[function_tool(weather)], model=model, model_settings=settings)
        result = await Runner.run(agent, talk.ask())
        same("text", result.final_output, ANSWER)
        talk.check_upstream(requests=2)
        streamed = Runner.run_streamed(agent, talk.ask())
        async for _ in streamed.stream_events():
            pass
        same("streamed text", streamed.final_output, ANSWER)
        if streamed.context_wrapper.usage.output_tokens <= 0:
            raise AssertionError("no usage")
        typed = Agent(name="b", instructions=SYSTEM, model=model, output_type=Person)
        check_person((await Runner.run(typed, talk.ask("person-text"))).final_output)
        await client.close()

    asyncio.run(converse())


def pydantic_model(talk, kind):
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.anthropic import AnthropicProvider
    from pydantic_ai.providers.google import GoogleProvider
    from pydantic_ai.providers.openai import OpenAIProvider

    if kind == "anthropic":
        return AnthropicModel(MODEL, provider=AnthropicProvider(api_key="none", base_url=talk.url))
    if kind == "gemini":
        return GoogleModel(MODEL, provider=GoogleProvider(api_key="none", base_url=talk.url))
    provider = OpenAIProvider(api_key="none", base_url=talk.url + "/v1")
    return (OpenAIChatModel if kind == "chat" else OpenAIResponsesModel)(MODEL, provider=provider)


def run_pydantic(talk, kind):
    from pydantic import BaseModel
    from pydantic_ai import Agent

    class Person(BaseModel):
        name: str
        age: int

    async def converse():
        model = pydantic_model(talk, kind)
        agent = Agent(model, instructions=SYSTEM, tools=[weather])
        result = await agent.run(talk.ask())
        same("text", result.output, ANSWER)
        talk.check_upstream(requests=2)
        async with agent.run_stream(talk.ask()) as streamed:
            contains("streamed text", await streamed.get_output(), "I look.")
        typed = Agent(model, output_type=Person)
        check_person((await typed.run(talk.ask("final-result"))).output)

    asyncio.run(converse())


def langchain_model(talk, kind):
    if kind == "anthropic":
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(model=MODEL, api_key="none", base_url=talk.url, max_retries=0, max_tokens=512)
    if kind == "gemini":
        from langchain_google_genai import ChatGoogleGenerativeAI

        return ChatGoogleGenerativeAI(model=MODEL, google_api_key="none", base_url=talk.url, max_retries=1)
    from langchain_openai import ChatOpenAI

    more = {"use_responses_api": kind == "responses", "max_retries": 0, "stream_usage": True}
    return ChatOpenAI(model=MODEL, api_key="none", base_url=talk.url + "/v1", **more)


def run_langchain(talk, kind):
    from langchain.agents import create_agent
    from langchain.tools import tool

    model = langchain_model(talk, kind)
    agent = create_agent(model, tools=[tool(weather)], system_prompt=SYSTEM)
    result = agent.invoke({"messages": [{"role": "user", "content": talk.ask()}]})
    same("text", str(result["messages"][-1].text), ANSWER)
    talk.check_upstream(requests=2)
    whole = None
    for chunk in model.stream([("system", SYSTEM), ("user", talk.ask("person-text"))]):
        whole = chunk if whole is None else whole + chunk
    check_person(json.loads(str(whole.text)))
    if not whole.usage_metadata or whole.usage_metadata["output_tokens"] <= 0:
        raise AssertionError("no usage in the stream")


def litellm_arguments(talk, kind):
    base = talk.url if kind == "anthropic" else talk.url + ("/v1beta" if kind == "gemini" else "/v1")
    return {"model": f"{'openai' if kind in ('chat', 'responses') else kind}/{MODEL}", "api_base": base, "api_key": "none"}


def run_litellm(talk, kind):
    import litellm

    litellm.suppress_debug_info = True
    tools = [{"type": "function", "function": {"name": "weather", "description": ABOUT, "parameters": SCHEMA}}]
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": talk.ask()}]
    for _ in range(2):
        chunks = list(
            litellm.completion(messages=messages, tools=tools, stream=True, num_retries=0, **litellm_arguments(talk, kind))
        )
        message = litellm.stream_chunk_builder(chunks, messages=messages).choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls or []:
            result = weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    same("text", message.content, ANSWER)
    talk.check_upstream(requests=2)


def run_litellm_responses(talk):
    import litellm

    response = litellm.responses(input=talk.ask("person-text"), num_retries=0, **litellm_arguments(talk, "responses"))
    texts = [part.text for item in response.output if item.type == "message" for part in item.content]
    check_person(json.loads("".join(texts)))


def bind(run, kind):
    return lambda talk: run(talk, kind)


FORMATS = ("chat", "responses", "anthropic", "gemini")
CASES = [
    *[("openai-agents", f"{kind}: run, stream, typed", bind(run_agents, kind)) for kind in FORMATS[:2]],
    *[("pydantic-ai-slim", f"{kind}: run, stream, typed", bind(run_pydantic, kind)) for kind in FORMATS],
    *[("langchain", f"{kind}: agent, stream", bind(run_langchain, kind)) for kind in FORMATS],
    *[("litellm", f"{kind}: two streamed turns", bind(run_litellm, kind)) for kind in ("chat", "anthropic", "gemini")],
    ("litellm", "responses", run_litellm_responses),
]
