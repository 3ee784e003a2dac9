//! Hooks of files: programs at the points of a run, in the form that other agents share.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use windlass_testkit::{Need, require};

use crate::program::{Place, provider, text};

/// A user with hooks, whose home is beside the project.
struct User {
    place: Place,
    url: String,
    server: windlass_mock::ScriptedProvider,
}

impl User {
    async fn new(script: &Value) -> Self {
        let server = provider(&script.to_string()).await;
        let user = Self { place: Place::new(), url: server.base_url(), server };
        fs::create_dir_all(user.settings()).unwrap();
        user
    }

    fn settings(&self) -> PathBuf {
        self.place.folder.path().join("settings")
    }

    fn hooks(&self, hooks: &Value) {
        fs::write(self.settings().join("hooks.json"), json!({ "hooks": hooks }).to_string()).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command.env("WINDLASS_CONFIG_DIR", self.settings()).env("HOME", self.place.folder.path());
        command
    }

    fn run(&self, more: &[&str]) -> (bool, String) {
        let base = ["run", "the task", "--base-url", &self.url, "--model", "m"];
        let output = self.command(&[&base[..], more].concat()).output().unwrap();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    }

    /// Lines of JSON in a file of the home.
    fn lines(&self, name: &str) -> Vec<Value> {
        let written = fs::read_to_string(self.place.folder.path().join(name)).unwrap_or_default();
        written.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn calls(calls: &[(&str, Value)]) -> Value {
    let turn = |(name, arguments): &(&str, Value)| json!({ "steps": [{ "call": { "name": name, "arguments": arguments } }] });
    let done = ("attempt_completion", json!({ "result": "done" }));
    let turns: Vec<Value> = calls.iter().chain([&done]).map(turn).collect();
    json!({ "turns": turns, "fallback": "nothing more" })
}

fn group(matcher: &str, command: &str) -> Value {
    json!([{ "matcher": matcher, "hooks": [{ "type": "command", "command": command, "timeout": 60 }] }])
}

/// Appends the hook's input to a file of the home.
const KEEP: &str = "tr -d '\\n' >> ~/seen.jsonl; echo >> ~/seen.jsonl";

#[tokio::test(flavor = "multi_thread")]
async fn each_event_has_the_documented_input() {
    let write = ("write_file", json!({ "path": "b.txt", "content": "x\n" }));
    let user = User::new(&calls(&[write])).await;
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
    let hooks = events.map(|event| (event.to_owned(), group("", KEEP)));
    user.hooks(&Value::Object(hooks.into_iter().collect()));
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(is_ok, "{told}");
    let seen = user.lines("seen.jsonl");
    let names: Vec<&str> = seen.iter().map(|input| input["hook_event_name"].as_str().unwrap()).collect();
    assert_eq!(names, events);
    let file = user.place.project().canonicalize().unwrap().join("b.txt");
    for input in &seen {
        assert!(input["session_id"].as_str().is_some_and(|id| !id.is_empty()), "{input}");
        assert_eq!(input["cwd"], json!(file.parent().unwrap()));
        assert!(input["transcript_path"].as_str().unwrap().starts_with('/'), "{input}");
    }
    assert_eq!((&seen[0]["source"], &seen[1]["prompt"]), (&json!("startup"), &json!("the task")));
    assert_eq!(seen[2]["tool_name"], "Write");
    assert_eq!(seen[2]["tool_input"], json!({ "file_path": file, "content": "x\n" }));
    assert_eq!(
        (&seen[3]["tool_name"], &seen[3]["tool_response"]["success"]),
        (&json!("Write"), &json!(true))
    );
    assert_eq!((&seen[4]["stop_hook_active"], &seen[5]["reason"]), (&json!(false), &json!("other")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_denies_the_call_in_every_tool_that_does_the_same() {
    for (tool, arguments) in [
        ("write_file", json!({ "path": ".env", "content": "x" })),
        ("delete_file", json!({ "path": ".env" })),
        ("run_command", json!({ "argv": ["cp", "a.txt", ".env"] })),
    ] {
        let user = User::new(&calls(&[(tool, arguments)])).await;
        fs::write(user.place.project().join(".env"), "KEPT=1\n").unwrap();
        let refuse = "grep -q '[.]env\"' && { echo 'leave .env alone' >&2; exit 2; } || exit 0";
        user.hooks(&json!({ "PreToolUse": group("Edit|Write|Bash", refuse) }));
        let (_, told) = user.run(&["--yes"]);
        assert_eq!(fs::read_to_string(user.place.project().join(".env")).unwrap(), "KEPT=1\n", "{tool}");
        assert!(told.contains("leave .env alone"), "{tool}: {told}");
        let result = user.server.requests()[1].body.to_string();
        assert!(result.contains("leave .env alone"), "{tool}: {result}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_allows_calls_only_with_may_permit() {
    let script = calls(&[("write_file", json!({ "path": "made.txt", "content": "x" }))]);
    let allow =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    for (setting, is_made) in [("", false), ("[hooks]\nmay_permit = true\n", true)] {
        let user = User::new(&script).await;
        user.hooks(&json!({ "PreToolUse": group("Write", allow) }));
        fs::write(user.settings().join("config.toml"), setting).unwrap();
        let (_, told) = user.run(&["--deny"]);
        assert_eq!(user.place.project().join("made.txt").exists(), is_made, "{told}");
    }
    // No hook lifts a denial of the policy.
    let user = User::new(&script).await;
    user.hooks(&json!({ "PreToolUse": group("Write", allow) }));
    fs::write(user.settings().join("config.toml"), "[hooks]\nmay_permit = true\n").unwrap();
    fs::write(
        user.settings().join("policy.toml"),
        "[[rule]]\nid = \"no\"\nverdict = \"deny\"\ntool = \"write_file\"\n",
    )
    .unwrap();
    let (_, told) = user.run(&["--yes"]);
    assert!(!user.place.project().join("made.txt").exists(), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_hook_sends_the_model_back_to_work() {
    let script = json!({ "turns": [
        { "steps": [{ "call": { "name": "attempt_completion", "arguments": { "result": "too early" } } }] },
        { "steps": [{ "call": { "name": "write_file", "arguments": { "path": "proof.txt", "content": "x" } } }] },
        { "steps": [{ "call": { "name": "attempt_completion", "arguments": { "result": "now" } } }] },
    ], "fallback": "nothing" });
    let user = User::new(&script).await;
    let stop = r#"cat >> ~/seen.jsonl; echo >> ~/seen.jsonl
        test -e proof.txt || echo '{"decision":"block","reason":"write proof.txt first"}'"#;
    user.hooks(&json!({ "Stop": [{ "hooks": [{ "type": "command", "command": stop }] }] }));
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(is_ok && told.contains("write proof.txt first"), "{told}");
    assert!(user.place.project().join("proof.txt").exists());
    let seen = user.lines("seen.jsonl");
    let active: Vec<&Value> = seen.iter().map(|input| &input["stop_hook_active"]).collect();
    assert_eq!(active, [&json!(false), &json!(true)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_refused_or_gets_context() {
    let user = User::new(&calls(&[])).await;
    user.hooks(&json!({
        "SessionStart": group("startup", "echo 'The team is red.'"),
        "UserPromptSubmit": group("", "echo 'It is noon.'"),
    }));
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(is_ok, "{told}");
    let body = user.server.requests()[0].body.to_string();
    assert!(body.contains("The team is red.") && body.contains("It is noon."), "{body}");
    let refuse = r#"echo '{"decision":"block","reason":"no tasks on Sunday"}'"#;
    user.hooks(&json!({ "UserPromptSubmit": group("", refuse) }));
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(!is_ok && told.contains("no tasks on Sunday"), "{told}");
    assert_eq!(user.server.requests().len(), 1, "nothing is sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_input_and_feedback_reach_the_call_and_the_model() {
    let user = User::new(&calls(&[("write_file", json!({ "path": "a.md", "content": "x" }))])).await;
    let change = r#"python3 -c 'import json,sys
i=json.load(sys.stdin)["tool_input"]; i["content"]="changed\n"
print(json.dumps({"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":i}}))'"#;
    let feedback = "echo 'run the linter' >&2; exit 2";
    user.hooks(&json!({ "PreToolUse": group("Write", change), "PostToolUse": group("Write", feedback) }));
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(is_ok, "{told}");
    assert_eq!(fs::read_to_string(user.place.project().join("a.md")).unwrap(), "changed\n");
    let body = user.server.requests()[1].body.to_string();
    assert!(body.contains("run the linter"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_loud_and_broken_hooks_do_not_block_the_run() {
    let user = User::new(&calls(&[("write_file", json!({ "path": "a.md", "content": "x" }))])).await;
    user.hooks(&json!({ "PreToolUse": [{ "matcher": "Write", "hooks": [
        { "type": "command", "command": "sleep 600", "timeout": 0.5 },
        { "type": "command", "command": "yes | head -c 30000000" },
        { "type": "command", "command": "exec <&-; exit 7" },
        { "type": "command", "command": "no-such-program" },
    ] }], "Unknown": [], "PostToolUse": [{ "hooks": [{ "type": "prompt", "prompt": "x" }] }] }));
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(is_ok && user.place.project().join("a.md").exists(), "{told}");
    for words in [
        "did not end within 0.5 seconds",
        "exit code 7",
        "exit code 127",
        "the event Unknown is not supported",
    ] {
        assert!(told.contains(words), "no {words}: {told}");
    }
    user.hooks(&json!({ "PreToolUse": [{ "matcher": "Write", "hooks": [
        { "type": "command", "command": "no-such-program", "onFailure": "block" } ] }] }));
    fs::remove_file(user.place.project().join("a.md")).unwrap();
    user.run(&["--yes"]);
    assert!(!user.place.project().join("a.md").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_of_a_project_need_trust_and_the_trusted_files_and_run_in_the_sandbox() {
    let write = |path: &str| ("write_file", json!({ "path": path, "content": "x" }));
    let user = User::new(&calls(&[write("a.md")])).await;
    let doctor: Value =
        serde_json::from_slice(&user.command(&["doctor", "--json"]).output().unwrap().stdout).unwrap();
    let is_confined = doctor["sandbox"]["level"] != "none";
    require!(Need::Namespaces, is_confined.then_some(()).ok_or("commands are not confined"));
    let folder = user.place.project().join(".claude/hooks");
    fs::create_dir_all(&folder).unwrap();
    let program = "echo ran >> \"$CLAUDE_PROJECT_DIR/ran.txt\"\necho x > ~/outside.txt || true\n";
    fs::write(folder.join("check.sh"), program).unwrap();
    let hooks = json!({ "permissions": {}, "hooks": { "PreToolUse":
        group("Write", "sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/check.sh") } });
    fs::write(user.place.project().join(".claude/settings.json"), hooks.to_string()).unwrap();
    let runs =
        || fs::read_to_string(user.place.project().join("ran.txt")).unwrap_or_default().lines().count();
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(is_ok && runs() == 0 && told.contains("do not run: the folder is not trusted"), "{told}");
    let trusted = text(&user.command(&["trust"]).output().unwrap().stdout);
    assert!(trusted.contains("hooks: ") && trusted.contains("script of a hook: "), "{trusted}");
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(is_ok && runs() == 1, "{told}");
    assert!(
        !user.place.folder.path().join("outside.txt").exists(),
        "the hook wrote outside of the workspace"
    );
    fs::write(folder.join("check.sh"), "touch changed.txt\n").unwrap();
    let (is_ok, told) = user.run(&["--yes"]);
    assert!(is_ok && told.contains("check.sh has changed since you trusted the folder"), "{told}");
    assert!(!user.place.project().join("changed.txt").exists());
    let listed = text(&user.command(&["hooks", "list"]).output().unwrap().stderr);
    assert!(listed.contains("do not run"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_starts_the_hooks_for_notifications_and_the_users_program() {
    let user = User::new(&calls(&[("write_file", json!({ "path": "a.md", "content": "x" }))])).await;
    user.hooks(&json!({ "Notification": group("permission_prompt", KEEP) }));
    fs::write(
        user.settings().join("config.toml"),
        "notify = [\"/bin/sh\", \"-c\", \"echo $0 >> ~/told.txt\"]\n",
    )
    .unwrap();
    // The run is suspended with its question, after the notification.
    let (_, told) = user.run(&["--suspend"]);
    assert!(told.contains("suspended"), "{told}");
    let told = fs::read_to_string(user.place.folder.path().join("told.txt")).unwrap();
    assert_eq!(told, "Windlass: write_file waits for an answer\nWindlass: a run is suspended\n");
    assert_eq!(user.lines("seen.jsonl")[0]["notification_type"], "permission_prompt");
}
