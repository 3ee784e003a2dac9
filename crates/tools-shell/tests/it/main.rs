//! `run_command` with real processes.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests look at processes and files from outside, and fail loudly"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio_util::sync::CancellationToken;
use windlass_protocol::{Arguments, CallId, Content, Effect, Payload, ResultStatus};
use windlass_sandbox::Workspace;
use windlass_tool::{Context, Progress, Tool, ToolError};
use windlass_tools_shell::RunCommand;

fn scene() -> (TempDir, RunCommand) {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("work")).unwrap();
    let workspace = Workspace::open(folder.path().join("work")).unwrap();
    (folder, RunCommand::new(Arc::new(workspace)))
}

fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

fn context(folder: &TempDir) -> Context {
    Context::new(CallId::new("call/1").unwrap()).with_outputs(folder.path().join("outputs"))
}

fn call(tool: &RunCommand, ctx: &Context, arguments: &Value) -> Result<(ResultStatus, String), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(tool.call(ctx, &payload(arguments))) {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => Ok((output.status, text.clone())),
            other => panic!("{other:?}"),
        },
        Err(ToolError::Model(text)) => Err(text),
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn check(command: &str, status: ResultStatus, text: &str) {
    let (folder, tool) = scene();
    let met = call(&tool, &context(&folder), &json!({"command": command}));
    assert_eq!(met, Ok((status, text.to_owned())));
}

/// KILL is sent before the call ends and takes effect a moment later; nobody it meant lives past that.
#[track_caller]
fn assert_gone(pid_file: &Path) {
    let pid = fs::read_to_string(pid_file).unwrap();
    let began = Instant::now();
    while lives(pid.trim()) {
        assert!(began.elapsed() < Duration::from_secs(10), "{pid} lives");
        std::thread::yield_now();
    }
}

/// A zombie that init has not reaped yet runs no more.
fn lives(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

#[test]
fn output_and_exit_code_come_back() {
    check("echo hello", ResultStatus::Ok, "[exit code 0]\nhello\n");
    check("echo a; echo b >&2; exit 3", ResultStatus::Error, "[exit code 3]\na\n[stderr]\nb\n");
    check("printf a; printf b >&2", ResultStatus::Ok, "[exit code 0]\na\n[stderr]\nb");
    check("true", ResultStatus::Ok, "[exit code 0]");
    check("kill -9 $$", ResultStatus::Error, "[killed by signal 9]");
    check("cat", ResultStatus::Ok, "[exit code 0]");
}

// Q2
#[test]
fn the_environment_is_short_and_without_secrets() {
    let (folder, tool) = scene();
    // Cargo gives its tests names that are not on the list.
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")));
    let (_, text) = call(&tool, &context(&folder), &json!({"command": "env"})).unwrap();
    assert!(text.contains("\nTERM=dumb\n") && text.contains("\nPAGER=cat\n"), "{text}");
    assert!(!text.contains("CARGO") && !text.contains("TOKEN"), "{text}");
}

// Q1: partial output survives, exit 124 is said, nobody of the group lives on.
#[test]
fn a_command_that_ignores_term_is_killed_with_its_group() {
    let (folder, tool) = scene();
    let command = "trap '' TERM; echo before; (trap '' TERM; echo $BASHPID > child; sleep 60) & \
        echo $$ > leader; while :; do sleep 0.1; done";
    let (status, text) =
        call(&tool, &context(&folder), &json!({"command": command, "timeout_ms": 300})).unwrap();
    assert_eq!(status, ResultStatus::TimedOut);
    assert!(text.contains("exit code 124") && text.contains("\nbefore\n"), "{text}");
    assert_gone(&folder.path().join("work/leader"));
    assert_gone(&folder.path().join("work/child"));
}

// Q1: a bounded drain for a grandchild that holds the pipe.
#[test]
fn a_grandchild_that_holds_the_pipe_is_not_waited_for() {
    let (folder, tool) = scene();
    let began = Instant::now();
    let command = "sleep 60 & echo $! > child; echo done";
    let (status, text) = call(&tool, &context(&folder), &json!({"command": command})).unwrap();
    assert_eq!((status, text.as_str()), (ResultStatus::Ok, "[exit code 0]\ndone\n"));
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_gone(&folder.path().join("work/child"));
}

// L7
#[test]
fn stopping_yields_what_came() {
    let (folder, tool) = scene();
    let token = CancellationToken::new();
    let stop = token.clone();
    let ctx = context(&folder).with_cancellation(token).with_progress(move |progress| {
        assert_eq!(progress, Progress::Output("started\n".into()));
        stop.cancel();
    });
    let command = "echo $$ > leader; echo started; sleep 60";
    let (status, text) = call(&tool, &ctx, &json!({"command": command})).unwrap();
    assert_eq!(status, ResultStatus::Cancelled);
    assert!(text.ends_with("\nstarted\n"), "{text}");
    assert_gone(&folder.path().join("work/leader"));
}

#[test]
fn dropping_the_call_kills_the_group() {
    let (folder, tool) = scene();
    let started = Arc::new(tokio::sync::Notify::new());
    let told = Arc::clone(&started);
    let ctx = context(&folder).with_progress(move |_| told.notify_one());
    let payload = payload(&json!({"command": "sleep 60 & echo $! > child; echo started; wait"}));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::select! {
            output = tool.call(&ctx, &payload) => panic!("{output:?}"),
            () = started.notified() => {}
        }
    });
    assert_gone(&folder.path().join("work/child"));
}

// R9
#[test]
fn a_flood_is_shown_by_head_and_tail_and_spilled_whole() {
    let (folder, tool) = scene();
    let command = "echo first; yes | head -c 20000000; echo oops >&2; echo last";
    let (status, text) = call(&tool, &context(&folder), &json!({"command": command})).unwrap();
    assert_eq!(status, ResultStatus::Ok);
    assert!(text.len() < 31_000, "{}", text.len());
    let notice = "[exit code 0]\n[stdout has 20000011 bytes in 10000002 lines; head and tail are shown; \
        all of it: read_file {\"path\":\"@outputs/call_1-stdout-1.txt\"}]\nfirst\ny\n";
    assert!(text.starts_with(notice), "{}", &text[..300]);
    assert!(text.ends_with("y\nlast\n[stderr]\noops\n"));
    let spilled = fs::read(folder.path().join("outputs/call_1-stdout-1.txt")).unwrap();
    assert_eq!(spilled.len(), 20_000_011);
    assert!(spilled.ends_with(b"y\nlast\n"));
    let ctx = Context::new(CallId::new("call_2").unwrap());
    let (_, text) = call(&tool, &ctx, &json!({"command": "yes | head -c 200000"})).unwrap();
    assert!(text.contains("the rest was not kept"), "{}", &text[..300]);
}

#[test]
fn the_folder_is_confined_and_told_in_the_effects() {
    let (folder, tool) = scene();
    fs::create_dir(folder.path().join("work/sub")).unwrap();
    std::os::unix::fs::symlink("/", folder.path().join("work/out")).unwrap();
    let arguments = json!({"command": "pwd", "cwd": "sub"});
    let (_, text) = call(&tool, &context(&folder), &arguments).unwrap();
    assert!(text.ends_with("sub\n"), "{text}");
    let effect = Effect::Execute { command: "pwd".into(), directory: "sub".into() };
    assert_eq!(tool.effects(&payload(&arguments)), [effect]);
    for cwd in ["..", "/", "out", "none", "/proc/self/root"] {
        call(&tool, &context(&folder), &json!({"command": "pwd", "cwd": cwd})).unwrap_err();
    }
    call(&tool, &context(&folder), &json!({"command": " "})).unwrap_err();
}
