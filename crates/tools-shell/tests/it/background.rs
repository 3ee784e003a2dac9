//! Commands that outlive their call: they are moved to the background, read, ended, and never left behind.

use std::time::Instant;

use serde_json::json;
use windlass_protocol::{Effect, Payload, ResultStatus};
use windlass_tool::CancellationToken;
use windlass_tools_shell::ProcessBounds;

use crate::scene::{LONGEST_WAIT, Run, Scene, assert_no, mark, marked, scenes};

#[track_caller]
fn within(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONGEST_WAIT, "{what}");
        std::thread::yield_now();
    }
}

// Q1: a background command returns at once, continues, and is read and ended by its id.
#[test]
fn a_background_command_continues_and_its_output_can_be_read() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let command = "echo first; echo oops >&2; until [ -e go ]; do sleep 0.05; done; echo second; exit 3";
        let text = run.text("run_command", &json!({"command": command, "background": true}));
        assert!(text.starts_with("[command 1 keeps running in the background;"), "{name}: {text}");
        let first = if text.contains("oops\n") {
            text
        } else {
            text + &run.until("oops\n", "read_command_output", &json!({"id": 1}))
        };
        assert!(first.contains("\nfirst\n") && first.contains("[stderr]\noops\n"), "{name}: {first}");
        let again = run.text("read_command_output", &json!({"id": 1}));
        assert!(!again.contains("\nfirst\n"), "{name}: {again}");
        scene.write("go", "");
        let rest = run.until("exit code 3", "read_command_output", &json!({"id": 1}));
        assert!(rest.contains("\nsecond\n"), "{name}: {rest}");
        assert!(rest.contains("stdout 13 bytes, 2 lines; stderr 5 bytes, 1 lines"), "{name}: {rest}");
        let page = run.text("read_command_output", &json!({"id": 1, "offset": 6}));
        assert!(page.ends_with("\n[bytes 6 to 13 of 13; this is its end]\nsecond\n"), "{name}: {page}");
        let page = run.text("read_command_output", &json!({"id": 1, "stream": "stderr", "search": "OO"}));
        assert!(page.ends_with("\n0: oops\n"), "{name}: {page}");
        assert_eq!(run.processes.running(), 0, "{name}");
    }
}

#[test]
fn a_command_that_outlasts_the_yield_time_continues() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let command = "echo early; until [ -e go ]; do sleep 0.05; done; echo late";
        let text = run.text("run_command", &json!({"command": command, "yield_time_ms": 700}));
        assert!(text.starts_with("[command 1 keeps running"), "{name}: {text}");
        scene.write("go", "");
        let text = text + &run.until("late\n", "read_command_output", &json!({"id": 1}));
        assert_eq!(text.matches("early\n").count(), 1, "{name}: {text}");
        let short = run.text("run_command", &json!({"command": "echo short", "yield_time_ms": 60_000}));
        assert!(short.starts_with("[exit code 0;") && short.ends_with("\nshort\n"), "{name}: {short}");
    }
}

// Q1: `kill_command` sends TERM, waits, and kills the whole process tree, also if the processes ignore TERM.
#[test]
fn kill_ends_all_processes_of_a_command() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let mark = mark(80);
        let command =
            format!("trap '' TERM; sleep {mark} & (trap '' TERM HUP; sleep {mark}) & echo on; sleep {mark}");
        run.call("run_command", &json!({"command": command, "background": true})).unwrap();
        within("it starts", || marked(&mark) >= 3);
        let began = Instant::now();
        let text = run.text("kill_command", &json!({"id": 1}));
        assert!(began.elapsed() < LONGEST_WAIT, "{name}");
        assert!(text.contains(" stopped; sandbox: "), "{name}: {text}");
        assert_no(&mark);
        let again = run.text("kill_command", &json!({"id": 1}));
        assert!(again.contains(" stopped; sandbox: "), "{name}: {again}");
    }
}

// Q1: dropping the tools of a run, or cancelling the call's run, ends the running commands.
#[test]
fn no_process_outlives_the_run() {
    for (name, scene) in scenes() {
        let mark = mark(81);
        let command = json!({"command": format!("trap 'echo bye' TERM; sleep {mark} & sleep {mark}"), "background": true});
        let token = CancellationToken::new();
        let mut run = Run::new(&scene);
        run.call_in(&run.context().with_cancellation(token.clone()), "run_command", &command).unwrap();
        run.call("run_command", &command).unwrap();
        within("both start", || marked(&mark) >= 4);
        token.cancel();
        within("one ends", || run.processes.running() == 1);
        run.runtime.block_on(run.processes.end());
        assert_eq!(run.processes.running(), 0, "{name}");
        assert_no(&mark);
        // The runtime continues, the tools do not.
        run.call("run_command", &command).unwrap();
        within("it starts", || marked(&mark) >= 2);
        let (runtime, rest) = run.split();
        drop(rest);
        assert_no(&mark);
        // The processes also end if the runtime is dropped.
        run = Run::new(&scene);
        run.call("run_command", &command).unwrap();
        within("it starts", || marked(&mark) >= 2);
        drop((run, runtime));
        assert_no(&mark);
    }
}

#[test]
fn the_number_is_bounded_and_a_limit_ends_it() {
    let scene = Scene::new();
    let run = Run::with(&scene, ProcessBounds::default().with_most(2, 1));
    for _ in 0..2 {
        run.call("run_command", &json!({"command": "sleep 50", "background": true})).unwrap();
    }
    let refused = run.call("run_command", &json!({"command": "sleep 50", "background": true})).unwrap_err();
    assert!(refused.contains("2 background commands run already (1 `sleep 50`, 2 `sleep 50`)"), "{refused}");
    run.call("kill_command", &json!({"id": 2})).unwrap();
    let limited = json!({"command": "sleep 50", "background": true, "timeout_ms": 500});
    run.call("run_command", &limited).unwrap();
    run.until("stopped after 500 ms", "read_command_output", &json!({"id": 3}));
    let text = run.text("list_pty_sessions", &json!({}));
    assert_eq!(text.lines().count(), 3, "{text}");
    for wrong in [json!({"id": 9}), json!({}), json!({"id": 1, "name": "x"}), json!({"name": "../x"})] {
        run.call("read_command_output", &wrong).unwrap_err();
    }
    let unknown = run.call("read_command_output", &json!({"id": 9})).unwrap_err();
    assert!(unknown.ends_with("known ids: 1, 2, 3"), "{unknown}");
}

#[test]
fn effects_name_the_output_that_is_read() {
    let scene = Scene::new();
    let run = Run::new(&scene);
    let effects = |tool: &str, arguments| run.tool(tool).effects(&crate::scene::payload(&arguments));
    assert_eq!(effects("read_command_output", json!({"id": 1})), [Effect::Internal]);
    let named = Effect::Read { path: "@outputs/a.txt".into() };
    let named = [named];
    assert_eq!(effects("read_command_output", json!({"name": "a.txt"})), named);
    assert_eq!(effects("read_command_output", json!({"name": "@outputs/a.txt"})), named);
    assert_eq!(effects("kill_command", json!({"id": 1})), [Effect::Internal]);
}

// A call of the provider's local shell has words, a working folder and a timeout, and runs like `run_command`.
#[test]
fn a_local_shell_call_is_a_command() {
    let scene = Scene::new();
    scene.write("sub/a", "");
    let run = Run::new(&scene);
    let words = |words: &[&str]| Payload::LocalShell {
        command: words.iter().map(|word| (*word).to_owned()).collect(),
        working_directory: Some(scene.work.join("sub").display().to_string()),
        timeout_ms: Some(60_000),
    };
    let tool = run.tool("run_command");
    let output = |payload| run.runtime.block_on(tool.call(&run.context(), &payload));
    let met = output(words(&["bash", "-lc", "ls; echo $((6 * 7))"])).unwrap();
    assert_eq!(met.status, ResultStatus::Ok);
    assert!(format!("{met:?}").contains("a\\n42\\n"), "{met:?}");
    let directory = "sub".to_owned();
    let execute = Effect::Execute { command: "ls -l".into(), directory };
    assert_eq!(tool.effects(&words(&["ls", "-l"])), [execute]);
    assert!(tool.inspect(&words(&["ls"])).containment.is_some());
    output(words(&[])).unwrap_err();
}
