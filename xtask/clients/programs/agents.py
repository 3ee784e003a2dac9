"""The coding agents: Codex, Claude Code, Gemini CLI, Qwen Code, opencode, pi and Cline, each without questions and without telemetry."""

from cell import KEY, MODEL

OFF = {"DO_NOT_TRACK": 1, "DISABLE_TELEMETRY": 1, "OTEL_SDK_DISABLED": "true"}


def codex(cell, prompt, model="gpt-5-codex", provider="gateway"):
    """Runs `codex exec` with a provider of its own in config.toml, or with its provider `openai` at another address; with
    its default model if `model` is `None`."""
    choice = "" if model is None else f'model = "{model}"\n'
    choice += f'openai_base_url = "{cell.url}/v1"' if provider == "openai" else f'model_provider = "{provider}"'
    command = ", ".join(f'"{word}"' for word in cell.probe()[1:])
    cell.write(
        "home/.codex/config.toml",
        f"""
{choice}
check_for_update_on_startup = false
web_search = "disabled"
[analytics]
enabled = false
[feedback]
enabled = false
[model_providers.gateway]
name = "gateway"
base_url = "{cell.url}/v1"
env_key = "CODEX_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.probe]
command = "python3"
args = [{command}]
default_tools_approval_mode = "approve"
""",
    )
    options = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    return cell.run([cell.tools["codex"], *options, prompt], {"CODEX_API_KEY": KEY, **OFF})


def claude(cell, prompt, model=None):
    """Runs `claude -p`, with the model that it chooses by default if `model` is `None`."""
    server = {"type": "stdio", "command": cell.probe()[0], "args": cell.probe()[1:]}
    servers = cell.write("mcp.json", {"mcpServers": {"probe": server}})
    tools = "Bash,Write,Edit,Read,Agent,Task,mcp__probe__lookup"
    settings = ["--strict-mcp-config", "--mcp-config", servers, "--allowedTools", tools]
    settings += [] if model is None else ["--model", model]
    variables = {
        "ANTHROPIC_BASE_URL": cell.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": 1,
        "DISABLE_AUTOUPDATER": 1,
        "DISABLE_ERROR_REPORTING": 1,
    }
    return cell.run([cell.tools["claude"], "-p", prompt, *settings], {**OFF, **variables})


def gemini(cell, prompt, model="gemini-2.5-flash"):
    """Runs `gemini -p`, which answers every question with yes."""
    command, *arguments = cell.probe()
    cell.write(
        "home/.gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "mcpServers": {"probe": {"command": command, "args": arguments, "trust": True}},
        },
    )
    variables = {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": cell.url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    return cell.run([cell.tools["gemini"], "--yolo", "-m", model, "-p", prompt], {**OFF, **variables})


def qwen(cell, prompt, auth="openai"):
    """Runs `qwen -p` with one of its kinds of providers: openai, anthropic or gemini."""
    command, *arguments = cell.probe()
    cell.write(
        "home/.qwen/settings.json",
        {
            "security": {"auth": {"selectedType": auth}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False},
            "mcpServers": {"probe": {"command": command, "args": arguments, "trust": True}},
        },
    )
    name, base = {
        "openai": ("OPENAI", f"{cell.url}/v1"),
        "anthropic": ("ANTHROPIC", cell.url),
        "gemini": ("GEMINI", cell.url),
    }[auth]
    variables = {f"{name}_API_KEY": KEY, f"{name}_BASE_URL": base, f"{name}_MODEL": MODEL}
    # The library of Google reads this one.
    variables["GOOGLE_GEMINI_BASE_URL"] = cell.url
    return cell.run([cell.tools["qwen"], "--yolo", "--auth-type", auth, "-m", MODEL, "-p", prompt], {**OFF, **variables})


def opencode(cell, prompt, package="@ai-sdk/openai-compatible", base="/v1"):
    """Runs `opencode run` with a provider from one of the packages that it contains."""
    model = {"name": "Scripted", "tool_call": True, "limit": {"context": 200000, "output": 8000}}
    options = {"baseURL": f"{cell.url}{base}", "apiKey": KEY}
    cell.write(
        "home/.config/opencode/opencode.json",
        {
            "autoupdate": False,
            "share": "disabled",
            "model": f"gateway/{MODEL}",
            "small_model": f"gateway/{MODEL}",
            "permission": {"edit": "allow", "bash": "allow"},
            "provider": {"gateway": {"npm": package, "name": "gateway", "options": options, "models": {MODEL: model}}},
            "mcp": {"probe": {"type": "local", "command": cell.probe(), "enabled": True}},
        },
    )
    variables = {"OPENCODE_DISABLE_MODELS_FETCH": 1, "OPENCODE_DISABLE_AUTOUPDATE": 1, "OPENCODE_DISABLE_LSP_DOWNLOAD": 1}
    variables |= {"OPENCODE_DISABLE_DEFAULT_PLUGINS": 1}
    return cell.run([cell.tools["opencode"], "run", prompt], {**OFF, **variables})


def pi(cell, prompt, api="openai-completions", base="/v1"):
    """Runs `pi -p` with a provider of its own in models.json."""
    model = {"id": MODEL, "name": "Scripted", "contextWindow": 200000, "maxTokens": 8000}
    model |= {"reasoning": False, "input": ["text"], "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}
    provider = {"baseUrl": f"{cell.url}{base}", "apiKey": KEY, "api": api, "models": [model]}
    cell.write("home/.pi/agent/models.json", {"providers": {"gateway": provider}})
    command = [cell.tools["pi"], "--offline", "--no-session", "--provider", "gateway", "--model", MODEL, "-p", prompt]
    return cell.run(command, {**OFF, "PI_OFFLINE": 1, "PI_TELEMETRY": 0})


def cline(cell, prompt):
    """Runs `cline` in act mode with a provider that speaks Chat Completions."""
    program = cell.tools["cline"]
    variables = {**OFF, "CLINE_TELEMETRY_DISABLED": 1, "OPENAI_API_KEY": KEY}
    auth = ["auth", "-p", "openai", "-k", KEY, "-m", MODEL, "-b", f"{cell.url}/v1"]
    cell.run([program, *auth], variables)
    return cell.run([program, "--json", "-P", "openai", "-m", MODEL, prompt], variables)
