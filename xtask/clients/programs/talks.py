"""The talks of each program, with the proof of each."""

from script import CHANGED, CHILD, DONE, LOUD, NEW, PARENT, PROBE, SEED

import agents
import editors

NUMBERS = ["alpha is 7351", "beta is 9024"]
CODEX_WITH_SEARCH = "gpt-5.5"


def start(cell):
    (cell.work / "seed.txt").write_text(f"{SEED}\n", encoding="utf-8")


def edit(program, **settings):
    """A command, a new file and a change of it."""

    def run(cell):
        if program is agents.qwen:
            cell.use_known_folder()
        start(cell)
        program(cell, cell.ask(f"{program.__name__}-edit-talk"), **settings)
        cell.check_output(DONE)
        cell.check_file("new.txt", CHANGED)
        cell.check_upstream(LOUD)
        cell.check_statuses()

    return run


def probe(program, part="mcp", offered=(), **settings):
    """Two parallel calls of a tool of the MCP server."""

    def run(cell):
        start(cell)
        program(cell, cell.ask(f"{program.__name__}-{part}-talk"), **settings)
        cell.check_output(PROBE)
        cell.check_probe("alpha", "beta")
        cell.check_upstream(*NUMBERS, offered=offered)
        cell.check_statuses()

    return run


def child(program, part="agent", task=None, **settings):
    """A sub-agent, which runs a command and reports."""

    def run(cell):
        start(cell)
        name = program.__name__
        program(cell, cell.ask(f"{name}-{part}-talk"), **settings)
        cell.check_output(PARENT)
        words = task or f"xchild-{name}-talk"
        bodies = [seen.body.decode(errors="replace") for seen in cell.relay.exchanges]
        of_child = [body for body in bodies if words in body and f"{name}-{part}-talk" not in body]
        if not any(LOUD in body for body in of_child):
            raise AssertionError(f"the child did not run its command; {cell.explain()}")
        # The first agents of Codex send no report.
        if (program, part) != (agents.codex, "agent"):
            cell.check_upstream(CHILD)
        cell.check_statuses()

    return run


def codex_shell(cell):
    start(cell)
    agents.codex(cell, cell.ask("codex-shell-talk"), model=CODEX_WITH_SEARCH)
    cell.check_output(DONE)
    cell.check_upstream(LOUD, offered=["exec_command"])
    cell.check_statuses()


def codex_patch(cell):
    agents.codex(cell, cell.ask("codex-patch-talk"), model=CODEX_WITH_SEARCH)
    cell.check_output(DONE)
    cell.check_file("new.txt", CHANGED)
    cell.check_upstream("Success", offered=["apply_patch"])
    cell.check_statuses()


def codex_code(provider):
    """The newest models of Codex write JavaScript that calls the tools, and all tools are items of the input."""

    def run(cell):
        start(cell)
        agents.codex(cell, cell.ask("codex-code-talk"), model=None, provider=provider)
        cell.check_output(DONE)
        cell.check_file("new.txt", CHANGED)
        cell.check_upstream(LOUD)
        # The provider of Codex tries a WebSocket first.
        sockets = 1 if provider == "openai" else 0
        refused = [seen for seen in cell.refused() if (seen.method, seen.status) == ("GET", 426)]
        if len(refused) != sockets or len(cell.refused()) != sockets:
            raise AssertionError(f"refused requests; {cell.explain()}")

    return run


def aider(provider):
    def run(cell):
        (cell.work / "new.txt").write_text(NEW, encoding="utf-8")
        editors.aider(cell, cell.ask("aider-edit-talk"), provider)
        cell.check_file("new.txt", CHANGED)
        cell.check_upstream("second line")
        cell.check_statuses()

    return run


def llm(provider):
    def run(cell):
        editors.llm(cell, cell.ask("llm-tool-talk"), provider)
        cell.check_output(PROBE)
        cell.check_file("calls.txt", "alpha\nbeta")
        cell.check_upstream(*NUMBERS)
        cell.check_statuses()

    return run


FINISH = "aimock's finishReason FUNCTION_CALL is not one of Google's, and pi refuses it"
FORMS = "aimock calls no tool of a namespace, no free-text tool and no search"

# What the second mock does not have: its own format reaches it unchanged, so the gateway cannot stand in for it.
NOT_IN_AIMOCK = {("pi", "google-generative-ai: edit", "gemini"): FINISH}


def gap(stack, program, case, upstream):
    """Returns the reason why a talk is not run with this mock."""
    if stack["mock"] != "aimock":
        return None
    if (program, upstream) == ("codex", "openai-responses") and case != "Responses: command":
        return FORMS
    return NOT_IN_AIMOCK.get((program, case, upstream))


OPENCODE = {
    "openai-compatible": {"package": "@ai-sdk/openai-compatible", "base": "/v1"},
    "openai": {"package": "@ai-sdk/openai", "base": "/v1"},
    "anthropic": {"package": "@ai-sdk/anthropic", "base": "/v1"},
    "google": {"package": "@ai-sdk/google", "base": "/v1beta"},
}
PI = {
    "openai-completions": "/v1",
    "openai-responses": "/v1",
    "anthropic-messages": "",
    "google-generative-ai": "/v1beta",
}

CASES = [
    ("codex", "Responses: command", codex_shell),
    ("codex", "Responses: free-text patch", codex_patch),
    ("codex", "Responses: MCP tools in a namespace", probe(agents.codex)),
    ("codex", "Responses: tool search, then MCP", probe(agents.codex, part="search", model=CODEX_WITH_SEARCH)),
    ("codex", "Responses: sub-agent", child(agents.codex)),
    ("codex", "Responses: default model, code", codex_code("gateway")),
    ("codex", "Responses: own provider, code", codex_code("openai")),
    ("codex", "Responses: default model, sub-agent", child(agents.codex, "team", "xchild-codex-team", model=None)),
    ("claude", "Messages: default model, edit", edit(agents.claude)),
    *[("claude", f"Messages: model {name}, edit", edit(agents.claude, model=name)) for name in ["sonnet", "haiku"]],
    ("claude", "Messages: tool search, then MCP", probe(agents.claude)),
    ("claude", "Messages: sub-agent", child(agents.claude)),
    ("gemini", "Gemini: edit", edit(agents.gemini)),
    ("gemini", "Gemini: gemini-3-pro-preview, edit", edit(agents.gemini, model="gemini-3-pro-preview")),
    ("gemini", "Gemini: MCP", probe(agents.gemini, offered=["mcp_probe_lookup"])),
    ("gemini", "Gemini: sub-agent", child(agents.gemini)),
    *[("qwen", f"{auth}: edit", edit(agents.qwen, auth=auth)) for auth in ["openai", "anthropic", "gemini"]],
    *[("opencode", f"{name}: edit", edit(agents.opencode, **settings)) for name, settings in OPENCODE.items()],
    ("opencode", "openai-compatible: MCP", probe(agents.opencode, offered=["probe_lookup"])),
    ("opencode", "anthropic: sub-agent", child(agents.opencode, **OPENCODE["anthropic"])),
    *[("pi", f"{api}: edit", edit(agents.pi, api=api, base=base)) for api, base in PI.items()],
    ("cline", "Chat: edit", edit(agents.cline)),
    *[("aider", f"{provider}: edit by text", aider(provider)) for provider in ["openai", "anthropic", "gemini"]],
    *[("llm", f"{provider}: functions", llm(provider)) for provider in ["openai", "anthropic"]],
]
