"""Programs that are not agents with tools of their own: aider, which edits files by text, and llm, which calls Python functions."""

from agents import OFF
from cell import KEY, MODEL

FUNCTION = '''
NUMBERS = {"alpha": "alpha is 7351", "beta": "beta is 9024"}


def lookup(word: str) -> str:
    "Looks up the number of a word."
    with open("calls.txt", "a") as log:
        log.write(word + "\\n")
    return NUMBERS[word]
'''


def aider(cell, prompt, provider="openai"):
    """Runs `aider --message` on one file, through one of litellm's providers."""
    names = {"openai": "OPENAI_API_BASE", "anthropic": "ANTHROPIC_API_BASE", "gemini": "GEMINI_API_BASE"}
    base = {"openai": f"{cell.url}/v1", "anthropic": cell.url, "gemini": f"{cell.url}/v1beta"}[provider]
    # It downloads this list unless a new one is there.
    limits = {"max_input_tokens": 200000, "max_output_tokens": 8000, "litellm_provider": provider, "mode": "chat"}
    prices = {f"{provider}/{MODEL}": limits, MODEL: limits}
    cell.write("home/.aider/caches/model_prices_and_context_window.json", prices)
    variables = {names[provider]: base, f"{provider.upper()}_API_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    quiet = ["--yes-always", "--no-git", "--no-pretty", "--no-check-update", "--analytics-disable", "--no-detect-urls"]
    quiet += ["--no-show-model-warnings", "--no-show-release-notes", "--no-suggest-shell-commands", "--map-tokens", "0"]
    model = ["--model", f"{provider}/{MODEL}", "--edit-format", "diff", "--weak-model", f"{provider}/{MODEL}"]
    return cell.run([cell.tools["aider"], *quiet, *model, "--message", prompt, "new.txt"], {**OFF, **variables})


def llm(cell, prompt, provider="openai"):
    """Runs `llm` with a function in a Python file, through its own models or those of llm-anthropic."""
    models = f"- model_id: gateway\n  model_name: {MODEL}\n  api_base: {cell.url}/v1\n  supports_tools: true\n"
    cell.write("llm/extra-openai-models.yaml", models)
    functions = cell.write("functions.py", FUNCTION)
    model = {"openai": "gateway", "anthropic": "claude-haiku-4.5"}[provider]
    variables = {"LLM_USER_PATH": cell.root / "llm", "OPENAI_API_KEY": KEY}
    variables |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": cell.url}
    command = [cell.tools["llm"], "-m", model, "--functions", functions, "--td", "--no-log", prompt]
    return cell.run(command, {**OFF, **variables})
