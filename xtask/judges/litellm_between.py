"""LiteLLM (PyPI) between `windlass run` in each wire format and `windlass mock` in three formats.

Usage: litellm_between.py WINDLASS [WORD]. Prints a line of JSON for each pair. WORD restricts the pairs.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from place import Process, Run, environment, free_port

SCRIPT = pathlib.Path(__file__).with_name("script.json")
ANSWER = "It says hello: 👋 Zürich."
# The models of LiteLLM: the format of the mock behind it, and the name by which LiteLLM selects it.
UPSTREAMS = {"openai-chat": ("openai", "/v1"), "anthropic": ("anthropic", ""), "gemini": ("gemini", "/v1beta")}
CLIENTS = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "", "gemini": "/v1beta"}
# Faults of LiteLLM, by client and upstream: a part of what the user reads, and the explanation.
EXPLAINED = {
    ("anthropic", "gemini"): (
        "GET /v1beta/models/scripted-1:cachedContents does not exist",
        "for `cache_control`, LiteLLM lists Gemini's caches, below `models/` if `api_base` is set; Gemini's "
        "documented path is /v1beta/cachedContents (BerriAI/litellm#34872)",
    ),
}


def settings(mock):
    models = [
        {
            "model_name": f"behind-{form}",
            "litellm_params": {"model": f"{vendor}/scripted-1", "api_base": mock + path, "api_key": "none"},
        }
        for form, (vendor, path) in UPSTREAMS.items()
    ]
    return {"model_list": models, "litellm_settings": {"num_retries": 0, "telemetry": False}}


def play(windlass, gateway, client, upstream):
    with tempfile.TemporaryDirectory() as folder:
        run = Run(windlass, folder, client, gateway + CLIENTS[client], model=f"behind-{upstream}")
    problems = []
    if run.code != 0:
        problems.append(f"exit code {run.code}")
    if ANSWER not in run.output:
        problems.append("the answer is missing")
    if "read_file" not in run.output or "list_files" not in run.output:
        problems.append("a call is missing")
    known, explanation = EXPLAINED.get((client, upstream), ("", ""))
    if explanation and not problems:
        problems.append(f"passes, so this explanation is outdated: {explanation}")
    is_explained = bool(explanation) and known in run.output
    return {
        "judge": "litellm",
        "case": f"before {upstream}",
        "wire": client,
        "ok": is_explained or not problems,
        "words": explanation if is_explained else "; ".join(problems + (run.seen() if problems else [])),
        "user": run.seen(),
        "code": run.code,
    }


def main():
    windlass, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    mock = subprocess.Popen([windlass, "mock", "--script", str(SCRIPT), "--json"], stdout=subprocess.PIPE)
    try:
        address = json.loads(mock.stdout.readline())["base_url"]
        with tempfile.TemporaryDirectory() as folder:
            # JSON is YAML.
            file = pathlib.Path(folder, "config.yaml")
            file.write_text(json.dumps(settings(address)))
            port = free_port()
            program = pathlib.Path(sys.executable).parent / "litellm"
            command = [str(program), "--config", str(file), "--host", "127.0.0.1", "--port", str(port)]
            # Without a key for its clients it starts only with this permission.
            settled = environment(folder) | {"LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}
            with Process(command, port, env=settled, cwd=folder) as gateway:
                for upstream in UPSTREAMS:
                    for client in CLIENTS:
                        if word in f"before {upstream} {client}":
                            print(json.dumps(play(windlass, gateway.url, client, upstream)), flush=True)
    finally:
        mock.kill()
        mock.wait()


if __name__ == "__main__":
    main()
