//! `run_command` without confinement: output, ends, and remaining processes.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use windlass_protocol::{CallId, Effect, ResultStatus};
use windlass_tool::{CancellationToken, Context, Progress, Tool};

use crate::scene::{LONGEST_WAIT, assert_gone, call, context, payload, plain};

#[track_caller]
fn check(command: &str, status: ResultStatus, text: &str) {
    let (folder, tool) = plain();
    let met = call(&tool, &context(&folder), &json!({"command": command}));
    assert_eq!(met, Ok((status, text.to_owned())));
}

#[test]
fn output_and_exit_code_are_returned() {
    check("echo hello", ResultStatus::Ok, "[exit code 0; sandbox: none]\nhello\n");
    check(
        "echo a; echo b >&2; exit 3",
        ResultStatus::Error,
        "[exit code 3; sandbox: none]\na\n[stderr]\nb\n",
    );
    check("printf a; printf b >&2", ResultStatus::Ok, "[exit code 0; sandbox: none]\na\n[stderr]\nb");
    check("true", ResultStatus::Ok, "[exit code 0; sandbox: none]");
    check("kill -9 $$", ResultStatus::Error, "[killed by signal 9; sandbox: none]");
    check("cat", ResultStatus::Ok, "[exit code 0; sandbox: none]");
}

// Q2
#[test]
fn the_environment_is_short_and_without_secrets() {
    let (folder, tool) = plain();
    // Cargo sets environment variables for its tests that are not on the list of passed variables.
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")));
    let (_, text) = call(&tool, &context(&folder), &json!({"command": "env"})).unwrap();
    assert!(text.contains("\nTERM=dumb\n") && text.contains("\nPAGER=cat\n"), "{text}");
    assert!(!text.contains("CARGO_MANIFEST") && !text.contains("TOKEN"), "{text}");
}

// Q1: partial output survives, exit 124 is reported, and no process of the group survives.
#[test]
fn a_command_that_ignores_term_is_killed_with_its_group() {
    let (folder, tool) = plain();
    let command = "trap '' TERM; echo before; (trap '' TERM; echo $BASHPID > child; sleep 300) & \
        echo $$ > leader; while :; do sleep 0.1; done";
    let (status, text) =
        call(&tool, &context(&folder), &json!({"command": command, "timeout_ms": 5000})).unwrap();
    assert_eq!(status, ResultStatus::TimedOut);
    assert!(text.contains("exit code 124") && text.contains("\nbefore\n"), "{text}");
    assert_gone(&folder.path().join("work/leader"));
    assert_gone(&folder.path().join("work/child"));
}

// Q1: if a grandchild holds the pipe open, its output is awaited for a limited time only.
#[test]
fn a_grandchild_with_an_open_pipe_does_not_delay_the_result() {
    let (folder, tool) = plain();
    let began = Instant::now();
    let command = "sleep 300 & echo $! > child; echo done";
    let (status, text) = call(&tool, &context(&folder), &json!({"command": command})).unwrap();
    assert_eq!((status, text.as_str()), (ResultStatus::Ok, "[exit code 0; sandbox: none]\ndone\n"));
    assert!(began.elapsed() < LONGEST_WAIT);
    assert_gone(&folder.path().join("work/child"));
}

// L7
#[test]
fn a_cancelled_command_returns_its_output_so_far() {
    let (folder, tool) = plain();
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
    let (folder, tool) = plain();
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
    let (folder, tool) = plain();
    let command = "echo first; yes | head -c 20000000; echo oops >&2; echo last";
    let (status, text) = call(&tool, &context(&folder), &json!({"command": command})).unwrap();
    assert_eq!(status, ResultStatus::Ok);
    assert!(text.len() < 31_000, "{}", text.len());
    let notice = "[exit code 0; sandbox: none]\n[stdout has 20000011 bytes in 10000002 lines; head and tail are shown; \
        all of it: read_file {\"path\":\"@outputs/call_1-stdout-1.txt\"}, or search it with read_command_output \
        {\"name\":\"call_1-stdout-1.txt\"}]\nfirst\ny\n";
    assert!(text.starts_with(notice), "{}", &text[..300]);
    assert!(text.ends_with("y\nlast\n[stderr]\noops\n"));
    let spilled = fs::read(folder.path().join("outputs/call_1-stdout-1.txt")).unwrap();
    assert_eq!(spilled.len(), 20_000_011);
    assert!(spilled.ends_with(b"y\nlast\n"));
    let ctx = Context::new(CallId::new("call_2").unwrap());
    let (_, text) = call(&tool, &ctx, &json!({"command": "yes | head -c 200000"})).unwrap();
    assert!(text.contains("the rest was not stored"), "{}", &text[..300]);
}

#[test]
fn cwd_stays_in_the_workspace_and_is_part_of_the_effects() {
    let (folder, tool) = plain();
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
    for refused in
        [json!({"command": " "}), json!({}), json!({"command": "ls", "argv": ["ls"]}), json!({"argv": [""]})]
    {
        call(&tool, &context(&folder), &refused).unwrap_err();
    }
}

// SECURITY "run_command" 1
#[test]
fn argv_runs_without_a_shell() {
    let (folder, tool) = plain();
    let run = |arguments| call(&tool, &context(&folder), &arguments).unwrap().1;
    let text = run(json!({"argv": ["printf", "%s|", "a b", "$(x)", "*"]}));
    assert_eq!(text, "[exit code 0; sandbox: none]\na b|$(x)|*|");
    let ended = json!({"argv": ["sh", "-c", "readlink /proc/$PPID/exe"]});
    assert!(!run(ended).contains("bash"));
    // A text with one simple command also runs without a shell.
    assert!(!run(json!({"command": "readlink /proc/self/exe"})).contains("bash"));
    let effect = Effect::Execute { command: "cat 'a b'".into(), directory: ".".into() };
    assert_eq!(tool.effects(&payload(&json!({"argv": ["cat", "a b"]}))), [effect]);
}

// SECURITY "run_command" 1: a bare program name never leads to a program in the workspace.
#[test]
fn a_program_is_not_looked_up_in_the_workspace() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, tool) = plain();
    let planted = folder.path().join("work/planted");
    fs::write(&planted, "#!/bin/sh\necho planted\n").unwrap();
    fs::set_permissions(&planted, fs::Permissions::from_mode(0o755)).unwrap();
    let (_, text) = call(&tool, &context(&folder), &json!({"command": "planted"})).unwrap();
    assert!(text.starts_with("[exit code 127"), "{text}");
    let (_, text) = call(&tool, &context(&folder), &json!({"argv": ["./planted"]})).unwrap();
    assert_eq!(text, "[exit code 0; sandbox: none]\nplanted\n");
}

// F59: control characters are escaped in the result, and the output file has the original bytes.
#[test]
fn control_characters_are_shown_and_kept_in_a_file() {
    let (folder, tool) = plain();
    let command = r"printf 'a\033]52;c;eA==\007b\377'";
    let (_, text) = call(&tool, &context(&folder), &json!({"command": command})).unwrap();
    assert!(text.ends_with("\na\\u{1b}]52;c;eA==\\u{7}b\u{fffd}"), "{text:?}");
    assert!(text.contains("@outputs/call_1-stdout-1.txt") && !text.contains('\u{1b}'), "{text:?}");
    let kept = fs::read(folder.path().join("outputs/call_1-stdout-1.txt")).unwrap();
    assert_eq!(kept, b"a\x1b]52;c;eA==\x07b\xff");
}

#[test]
fn a_single_git_command_that_writes_declares_the_effect() {
    let (_folder, tool) = plain();
    let effects = tool.effects(&payload(&json!({"command": "git commit -m x"})));
    assert_eq!(effects.get(1), Some(&Effect::Write { path: ".git".into(), bytes: None }));
    for command in ["git status", "git add . && git commit -m x", "make"] {
        assert_eq!(tool.effects(&payload(&json!({"command": command}))).len(), 1, "{command}");
    }
}

// Q3
#[test]
fn missing_confinement_is_reported() {
    let (_folder, tool) = plain();
    let seen = tool.inspect(&payload(&json!({"command": "ls"})));
    assert_eq!(seen.containment, Some(windlass_protocol::Containment::none()));
}
