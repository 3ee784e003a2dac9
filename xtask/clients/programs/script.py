"""Prints the script of the upstream: the answers for each program and each of its talks.

Usage: script.py > script.json. Every program has tools of its own, which do the same: one command, one new file, one change of a file,
a call of the MCP server. Keys that begin with a capital are parts of the requests that programs send beside a talk.
"""

import json

# Qwen Code takes no relative paths.
KNOWN_FOLDER = "/tmp/windlass-known-folder"
COMMAND = "tr a-z A-Z < seed.txt"
LOUD = "WINDLASS 4711"
SEED = LOUD.lower()
NEW = "first line\nsecond line\n"
CHANGED = "first line\nchanged line\n"
DONE = "All of it is done."
PROBE = "The probe has alpha and beta."
CHILD = "The child has seen WINDLASS 4711."
PARENT = "The child has reported."

PATCH = """*** Begin Patch
*** Add File: new.txt
+first line
+changed line
*** End Patch"""
CODE = f'const done = await tools.exec_command({{"cmd": "{COMMAND}"}}); text(done.output);'
CODE_PATCH = f"await tools.apply_patch({json.dumps(PATCH)});"
BLOCK = "new.txt\n<<<<<<< SEARCH\nfirst line\nsecond line\n=======\nfirst line\nchanged line\n>>>>>>> REPLACE\n"


def call(tool, **arguments):
    return {"call": {"name": tool, "arguments": arguments}}


def custom(tool, text):
    return {"call": {"name": tool, "arguments": {"input": text}}}


def turn(*steps, piece=24):
    return {"steps": [{"text": step} if isinstance(step, str) else step for step in steps], "piece": piece}


def talk(*turns):
    """Returns turns; a list is a turn of several steps."""
    return [turn(*steps) if isinstance(steps, list) else turn(steps) for steps in turns]


def edits(command, write, change):
    """A command and a new file in parallel, then a change of that file, then the last words."""
    return talk(["I start.", command, write], change, DONE)


def lookups(tool):
    """Two parallel calls of the MCP server."""
    return talk(["I look.", call(tool, word="alpha"), call(tool, word="beta")], PROBE)


def parent(*calls):
    return talk(["I ask a child.", calls[0]], *calls[1:], PARENT)


TALKS = {
    "codex-shell-talk": talk(["I start.", call("exec_command", cmd=COMMAND)], DONE),
    "codex-patch-talk": talk(["I start.", custom("apply_patch", PATCH)], DONE),
    "codex-mcp-talk": lookups("mcp__probe__lookup"),
    "codex-search-talk": talk(
        call("tool_search", query="lookup number word probe", limit=5),
        [call("mcp__probe__lookup", word="alpha"), call("mcp__probe__lookup", word="beta")],
        PROBE,
    ),
    "codex-code-talk": talk(["I start.", custom("functions__exec", CODE)], custom("functions__exec", CODE_PATCH), DONE),
    "codex-agent-talk": parent(
        call("multi_agent_v1__spawn_agent", message="xchild-codex-talk: report what the seed says"),
        # The script does not know the id of the child, so it waits for the file that the child writes.
        call("exec_command", cmd="until test -s child.txt; do sleep 0.2; done; sleep 3", yield_time_ms=30000),
    ),
    "codex-team-talk": parent(
        call("collaboration__spawn_agent", task_name="child", message="xchild-codex-team: report what the seed says", fork_turns="none"),
        call("collaboration__wait_agent", timeout_ms=60000),
    ),
    "claude-edit-talk": edits(
        call("Bash", command=COMMAND, description="Print the seed"),
        call("Write", file_path="new.txt", content=NEW),
        call("Edit", file_path="new.txt", old_string="second line", new_string="changed line"),
    ),
    "claude-mcp-talk": talk(
        call("ToolSearch", query="select:mcp__probe__lookup"),
        [call("mcp__probe__lookup", word="alpha"), call("mcp__probe__lookup", word="beta")],
        PROBE,
    ),
    "gemini-edit-talk": edits(
        call("run_shell_command", command=COMMAND, description="Print the seed"),
        call("write_file", file_path="new.txt", content=NEW),
        call("replace", file_path="new.txt", instruction="Change the second line", old_string="second line", new_string="changed line"),
    ),
    "gemini-mcp-talk": lookups("mcp_probe_lookup"),
    "qwen-edit-talk": edits(
        call("run_shell_command", command=COMMAND, description="Print the seed", is_background=False),
        call("write_file", file_path=f"{KNOWN_FOLDER}/new.txt", content=NEW),
        call("edit", file_path=f"{KNOWN_FOLDER}/new.txt", old_string="second line", new_string="changed line"),
    ),
    "opencode-edit-talk": edits(
        call("bash", command=COMMAND, description="Print the seed"),
        call("write", filePath="new.txt", content=NEW),
        call("edit", filePath="new.txt", oldString="second line", newString="changed line"),
    ),
    "opencode-mcp-talk": lookups("probe_lookup"),
    "pi-edit-talk": edits(
        call("bash", command=COMMAND),
        call("write", path="new.txt", content=NEW),
        call("edit", path="new.txt", edits=[{"oldText": "second line", "newText": "changed line"}]),
    ),
    "cline-edit-talk": edits(
        call("run_commands", commands=[COMMAND]),
        call("editor", path="new.txt", new_text=NEW),
        call("editor", path="new.txt", old_text="second line", new_text="changed line"),
    ),
    # Its requests begin with answers as examples.
    "aider-edit-talk": talk(*[f"I change the file.\n\n{BLOCK}\n{DONE}\n"] * 8),
    "llm-tool-talk": lookups("lookup"),
}

# Programs tell a sub-agent its task in the words of the parent's call, which the parent's requests contain, too: the key of a
# parent sorts first.
CHILDREN = {
    "xchild-codex-talk": talk(["I look.", call("exec_command", cmd=f"{COMMAND} | tee child.txt")], CHILD),
    "xchild-codex-team": talk(custom("functions__exec", CODE), CHILD),
    "xchild-claude-talk": talk(["I look.", call("Bash", command=COMMAND, description="Print the seed")], CHILD),
    "xchild-opencode-talk": talk(["I look.", call("bash", command=COMMAND, description="Print the seed")], CHILD),
    "xchild-gemini-talk": talk(["I look.", call("run_shell_command", command=COMMAND)], call("complete_task", result={"response": CHILD})),
}

TALKS["claude-agent-talk"] = parent(
    call(
        "Agent",
        description="Report the seed",
        prompt="xchild-claude-talk: report what the seed says",
        subagent_type="general-purpose",
        run_in_background=False,
    )
)
TALKS["opencode-agent-talk"] = parent(
    call("task", description="Report the seed", prompt="xchild-opencode-talk: report what the seed says", subagent_type="general")
)
TALKS["gemini-agent-talk"] = parent(
    call("invoke_agent", agent_name="generalist", prompt="xchild-gemini-talk: report what the seed says")
)

# Requests beside a talk.
ASIDES = {"Generate a title": talk("A title"), "You are a title generator": talk("A title")}

SCRIPT = {"turns": talk("Which talk is this?"), "fallback": "The talk is over.", "parts": {**TALKS, **CHILDREN, **ASIDES}}

if __name__ == "__main__":
    print(json.dumps(SCRIPT, indent=1))
