//! Terminals: input and output of a program, keys, limits, and remaining processes.

use std::time::{Duration, Instant};

use serde_json::json;
use windlass_protocol::{Effect, ResultStatus, Risk};
use windlass_testkit::{Need, require};
use windlass_tools_shell::ProcessBounds;

use crate::faults::{left, runs};
use crate::scene::{LONGEST_WAIT, Run, SECRET, Scene, assert_no, mark, marked, namespaces, payload, scenes};

fn python() -> bool {
    std::path::Path::new("/usr/bin/python3").exists()
}

// Q2: only commands at a terminal receive input; the shell of a session keeps its state between inputs.
#[test]
fn a_shell_at_a_terminal_keeps_its_state() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let text = run.text("create_pty_session", &json!({"rows": 30, "cols": 100}));
        assert!(text.starts_with("[session 1 runs;"), "{name}: {text}");
        let send =
            |input: &str| json!({"session_id": 1, "input": input, "append_newline": true, "wait_ms": 200});
        run.call("send_pty_input", &send("cd /; x=6")).unwrap();
        let asked = "echo =$((x * 7))= $PWD; stty size; tty -s && echo yes";
        let text = run.text("send_pty_input", &send(asked));
        let text = if text.contains("\nyes\n") {
            text
        } else {
            text + &run.until("\nyes\n", "read_pty_session", &json!({"session_id": 1, "wait_ms": 50}))
        };
        assert!(text.contains("\n=42= /\n30 100\nyes\n"), "{name}: {text}");
        // No escape sequence floods the model.
        assert!(!text.contains("\\u{1b}"), "{name}: {text}");
        let screen = run.text("read_pty_session", &json!({"session_id": 1, "view": "screen"}));
        assert!(
            screen.contains("[screen of 30 rows and 100 columns;") && screen.contains("=42= /"),
            "{name}: {screen}"
        );
        run.call("send_pty_input", &send("exit 5")).unwrap();
        run.until("exit code 5", "read_pty_session", &json!({"session_id": 1, "wait_ms": 1000}));
        let refused = run.call("send_pty_input", &send("echo late")).unwrap_err();
        assert!(refused.starts_with("nothing was typed: [1 "), "{name}: {refused}");
    }
}

// The command is in the foreground of its controlling terminal, so keys reach it and not the helper.
#[test]
fn keys_are_signals() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let command =
            // The quotes keep the words out of the first line, which shows the command.
            "trap 'echo cau''ght' INT; exec 3</dev/tty && echo op''en; echo rea''dy; while :; do sleep 0.05; done";
        run.call("create_pty_session", &json!({"command": command})).unwrap();
        run.until("ready", "read_pty_session", &json!({"session_id": 1, "view": "screen"}));
        let screen = run.text("read_pty_session", &json!({"session_id": 1, "view": "screen"}));
        assert!(screen.contains("open"), "{name}: {screen}");
        run.call("send_pty_input", &json!({"session_id": 1, "input": "\u{3}"})).unwrap();
        run.until("caught", "read_pty_session", &json!({"session_id": 1, "view": "screen"}));
        // Ctrl-Z does not stop a process permanently.
        run.call("send_pty_input", &json!({"session_id": 1, "input": "\u{1a}"})).unwrap();
        run.call("send_pty_input", &json!({"session_id": 1, "input": "\u{3}"})).unwrap();
        let screen = || run.text("read_pty_session", &json!({"session_id": 1, "view": "screen"}));
        let began = Instant::now();
        while screen().matches("caught").count() < 2 {
            assert!(began.elapsed() < LONGEST_WAIT, "{name}: {}", screen());
        }
        let text = run.text("exec_command", &json!({"cmd": "echo on; sleep 50", "yield_time_ms": 300}));
        assert!(text.starts_with("[session 2 "), "{name}: {text}");
        // A key that arrives before the program is discarded.
        if !text.contains("\non\n") {
            run.until("on\n", "write_stdin", &json!({"session_id": 2, "yield_time_ms": 50}));
        }
        let text =
            run.text("write_stdin", &json!({"session_id": 2, "chars": "\u{3}", "yield_time_ms": 30_000}));
        assert!(text.contains("signal 2"), "{name}: {text}");
    }
}

// A background job of a shell has SIGINT ignored, and a supervisor may block it: keys are signals there, too.
#[test]
fn keys_are_signals_even_if_the_host_ignores_them() {
    let mut host = std::process::Command::new("/usr/bin/env");
    host.args(["--ignore-signal=INT,QUIT,HUP", "--block-signal=INT,TSTP"]);
    host.arg(std::env::current_exe().unwrap()).args(["--exact", "sessions::keys_are_signals"]);
    let output = host.stdin(std::process::Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn exec_command_waits_yields_and_is_polled() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let (status, text) = run.call("exec_command", &json!({"cmd": "echo hi; exit 2"})).unwrap();
        assert_eq!(status, ResultStatus::Error, "{name}");
        assert!(text.starts_with("[exit code 2; sandbox: ") && text.ends_with("]\nhi\n"), "{name}: {text}");
        let asking = json!({"cmd": "read -p 'name? ' x; echo hello $x", "yield_time_ms": 800});
        let text = run.text("exec_command", &asking);
        assert!(text.starts_with("[session 1 runs;"), "{name}: {text}");
        if !text.ends_with("\nname? ") {
            run.until("\nname? ", "write_stdin", &json!({"session_id": 1, "yield_time_ms": 50}));
        }
        let poll = run.text("write_stdin", &json!({"session_id": 1, "yield_time_ms": 50}));
        assert!(poll.contains("still runs"), "{name}: {poll}");
        let text =
            run.text("write_stdin", &json!({"session_id": 1, "chars": "me\n", "yield_time_ms": 30_000}));
        assert!(text.contains("exit code 0") && text.ends_with("hello me\n"), "{name}: {text}");
        let text = run.text("exec_command", &json!({"cmd": "seq 100000", "max_output_tokens": 50}));
        assert!(text.len() < 1000 || text.contains("bytes left out"), "{name}: {}", text.len());
        let piped = run.text("exec_command", &json!({"cmd": "tty; cat", "tty": false}));
        assert!(piped.contains("not a tty"), "{name}: {piped}");
    }
}

#[test]
fn run_pty_cmd_has_a_terminal_and_a_limit() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let colours = "printf '\\033[31mred\\033[0m\\n'; stty size; echo $TERM";
        let text = run.text("run_pty_cmd", &json!({"command": colours, "rows": 5, "cols": 33}));
        assert!(text.ends_with("]\nred\n5 33\nxterm-256color\n"), "{name}: {text}");
        let mark = mark(90);
        let stubborn = format!("trap '' TERM HUP INT; echo on; while :; do sleep {mark}; done");
        let began = Instant::now();
        let (status, text) =
            run.call("run_pty_cmd", &json!({"command": stubborn, "timeout_ms": 500})).unwrap();
        assert!(began.elapsed() < LONGEST_WAIT, "{name}");
        assert_eq!(status, ResultStatus::TimedOut, "{name}");
        assert!(text.contains("exit code 124") && text.ends_with("\non\n"), "{name}: {text}");
        assert_no(&mark);
        // Without input: a program that waits for it runs until its limit.
        let (status, _) = run.call("run_pty_cmd", &json!({"command": "cat", "timeout_ms": 500})).unwrap();
        assert_eq!(status, ResultStatus::TimedOut, "{name}");
    }
}

// R9: a flood through a terminal is bounded like any other, and kept.
#[test]
fn a_flood_through_a_terminal_is_bounded() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let text = run.text("run_pty_cmd", &json!({"command": "seq 300000", "timeout_ms": 60_000}));
        assert!(text.len() < 31_000, "{name}: {}", text.len());
        assert!(text.contains("]\n1\n2\n3\n") && text.ends_with("\n299999\n300000\n"), "{name}");
        // Line ends of a terminal have two bytes.
        assert!(
            text.contains("[terminal has 2288895 bytes in 300000 lines; in a file: "),
            "{name}: {}",
            &text[..300]
        );
        let kept = json!({"name": "call_1-terminal-1.txt", "search": "^123456\\r?$"});
        let found = run.text("read_command_output", &kept);
        assert!(
            found.starts_with("[1 of 300000 lines match") && found.ends_with(": 123456\n"),
            "{name}: {found}"
        );
    }
}

// The output of a program that draws is shown as a screen.
#[test]
fn drawn_output_is_shown_as_a_screen() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let draw = "printf '\\033[?1049h\\033[2J\\033[3;5Hmenu\\033[1;1H'; sleep 50";
        run.call("create_pty_session", &json!({"command": draw})).unwrap();
        let text = run.until("menu", "read_pty_session", &json!({"session_id": 1, "view": "screen"}));
        assert!(text.ends_with("\n\n\n    menu"), "{name}: {text:?}");
        // Without the argument the screen is shown, too, because the raw output of this program is not readable.
        let text = run.text("read_pty_session", &json!({"session_id": 1}));
        assert!(text.ends_with("\n\n\n    menu"), "{name}: {text:?}");
    }
}

// SECURITY "Sandbox": a program at the terminal is confined like any command, and cannot type for the user.
#[test]
fn a_terminal_does_not_escape_the_sandbox() {
    require!(Need::Namespaces, namespaces());
    require!(Need::Python, python());
    let scene = Scene::new();
    let run = Run::new(&scene);
    let cat =
        format!("cat {}/out/secret.txt {}/.ssh/id_rsa", scene.folder.path().display(), scene.home.display());
    let text = run.text("run_pty_cmd", &json!({"command": cat}));
    assert!(!text.contains(SECRET) && text.contains("No such file"), "{text}");
    let inject = "python3 -c \"import fcntl,termios,os\nfor fd in (0, os.open('/dev/tty', os.O_RDWR)):\n  try: fcntl.ioctl(fd, termios.TIOCSTI, b'x'); print('typed')\n  except OSError as e: print('errno', e.errno)\"";
    let text = run.text("run_pty_cmd", &json!({"command": inject}));
    assert!(text.contains("errno 1\nerrno 1\n") && !text.contains("typed"), "{text}");
    let text = run.text(
        "run_pty_cmd",
        &json!({"command": "touch canary && echo wrote; mkdir .git; mkdir .git/x; ls /dev/pts /proc/1/fd"}),
    );
    assert!(text.contains("wrote") && scene.work.join("canary").exists(), "{text}");
    assert!(!scene.work.join(".git/x").exists(), "{text}");
    let text = run.text("run_pty_cmd", &json!({"command": "ls -d . && touch no"}));
    assert!(text.starts_with("[exit code 0"), "{text}");
    let net = "python3 -c \"import socket; socket.socket()\"";
    let (status, text) = run.call("run_pty_cmd", &json!({"command": net})).unwrap();
    assert_eq!(status, ResultStatus::Error, "{text}");
}

// SECURITY "Risk levels": typing is High and needs approval; reading and ending do not.
#[test]
fn effects_and_risks_are_declared() {
    let scene = Scene::new();
    let run = Run::new(&scene);
    let effects = |tool: &str, arguments| run.tool(tool).effects(&payload(&arguments));
    let execute = |command: &str, directory: &str| Effect::Execute {
        command: command.into(),
        directory: directory.into(),
    };
    assert_eq!(
        effects("exec_command", json!({"cmd": "make x", "workdir": "sub"})),
        [execute("make x", "sub")]
    );
    assert_eq!(effects("run_pty_cmd", json!({"argv": ["ls", "a b"]})), [execute("ls 'a b'", ".")]);
    assert_eq!(effects("create_pty_session", json!({})), [execute("bash --noprofile --norc -i", ".")]);
    let commit = effects("create_pty_session", json!({"command": "git commit"}));
    assert_eq!(commit.get(1), Some(&Effect::Write { path: ".git".into(), bytes: None }));
    let typed = effects("send_pty_input", json!({"session_id": 1, "input": "rm -rf /\n"}));
    assert_eq!(typed, [execute("rm -rf /", "."), Effect::Unknown]);
    let key = effects("send_pty_input", json!({"session_id": 1, "input": "", "append_newline": true}));
    assert_eq!(key, [Effect::Unknown]);
    assert_eq!(effects("write_stdin", json!({"session_id": 1, "chars": ""})), [Effect::Internal]);
    for (tool, risk) in [
        ("exec_command", Risk::High),
        ("write_stdin", Risk::High),
        ("run_pty_cmd", Risk::High),
        ("create_pty_session", Risk::High),
        ("send_pty_input", Risk::High),
        ("read_pty_session", Risk::Low),
        ("close_pty_session", Risk::Low),
        ("list_pty_sessions", Risk::Low),
        ("read_command_output", Risk::Low),
        ("kill_command", Risk::Low),
    ] {
        assert_eq!(run.tool(tool).hints().risk, risk, "{tool}");
    }
    let given = payload(&json!({"cmd": "ls"}));
    assert!(run.tool("exec_command").inspect(&given).containment.is_some());
}

#[test]
fn sessions_are_limited_and_close_when_idle() {
    for (name, scene) in scenes() {
        let bounds = ProcessBounds::default().with_most(1, 1).with_idle(Duration::from_millis(2500));
        let run = Run::with(&scene, bounds);
        let mark = mark(91);
        let command = json!({"command": format!("sleep {mark}")});
        run.call("create_pty_session", &command).unwrap();
        let refused = run.call("create_pty_session", &command).unwrap_err();
        assert!(refused.contains("1 terminals are open already (1 `sleep"), "{name}: {refused}");
        assert_no(&mark);
        run.until("stopped, because its output was not read", "list_pty_sessions", &json!({}));
        run.call("create_pty_session", &command).unwrap();
        let wrong = run.call("read_pty_session", &json!({"session_id": 7})).unwrap_err();
        assert!(wrong.ends_with("known ids: 1, 2"), "{name}: {wrong}");
    }
}

// Q1: the jobs of a shell are in process groups of their own, and still end with the session.
#[test]
fn closed_sessions_leak_no_processes_or_descriptors() {
    for (name, scene) in scenes() {
        let run = Run::new(&scene);
        let mark = mark(92);
        let open = |command: &str| {
            let text = run.text("create_pty_session", &json!({"command": command, "wait_ms": 1}));
            let id = text.split(' ').nth(1).and_then(|id| id.parse::<u64>().ok());
            id.unwrap_or_else(|| panic!("{text}"))
        };
        let close = |id: u64| run.text("close_pty_session", &json!({"session_id": id}));
        let id = open("bash --norc -i");
        let start =
            format!("sleep {mark} & nohup sleep {mark} & (trap '' HUP TERM; sleep {mark}) & sleep {mark}\r");
        run.call("send_pty_input", &json!({"session_id": id, "input": start})).unwrap();
        let began = Instant::now();
        while marked(&mark) < 4 {
            assert!(began.elapsed() < LONGEST_WAIT, "{name}: {}", marked(&mark));
        }
        let text = close(id);
        assert!(text.contains(" stopped; sandbox: "), "{name}: {text}");
        assert_no(&mark);
        let before = left().1;
        let rounds = (runs() / 5).max(8);
        for round in 0..rounds {
            let command = match round % 3 {
                0 => format!("cat; sleep {mark}"),
                1 => format!("sleep {mark} & echo x; sleep {mark}"),
                _ => format!("exit {}", round % 7),
            };
            // A terminal whose program ended before the first read needs no closing.
            let met = run.text("create_pty_session", &json!({"command": command, "wait_ms": 1}));
            if let Some(id) = met.strip_prefix("[session ").and_then(|rest| rest.split(' ').next()) {
                close(id.parse().unwrap());
            }
        }
        assert_no(&mark);
        let (zombies, after) = left();
        eprintln!("{name}: {rounds} sessions: {zombies} zombies, {before} descriptors became {after}");
        assert!(zombies < 10, "{name}: {zombies} zombies");
        assert!(after < before + 25.max(rounds / 4), "{name}: {before} descriptors became {after}");
    }
}

// F63: the leash (`windlass_sandbox::Leash`) also covers processes that outlive their call. The host is this test in
// a second process.
#[test]
fn f63_background_processes_end_with_the_host() {
    const HOST: &str = "WINDLASS_TEST_HOST";
    require!(Need::Namespaces, namespaces());
    if let Ok(mark) = std::env::var(HOST) {
        let scene = Scene::new();
        let run = Run::new(&scene);
        let stubborn = format!("trap '' TERM HUP; setsid sleep {mark} & sleep {mark}");
        run.call("run_command", &json!({"command": stubborn, "background": true})).unwrap();
        run.call("create_pty_session", &json!({"command": stubborn})).unwrap();
        loop {
            std::thread::park();
        }
    }
    let (mark, folder) = (mark(93), Scene::new().folder);
    let name = "sessions::f63_background_processes_end_with_the_host";
    let mut host = std::process::Command::new(std::env::current_exe().unwrap());
    host.args(["--exact", name, "--nocapture"]).env(HOST, &mark).env("TMPDIR", folder.path());
    let mut host = host.stdout(std::process::Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    // Wait for two processes of each kind; the command lines of helpers and shells do not match.
    while marked(&format!("sleep\0{mark}")) < 4 {
        assert!(began.elapsed() < LONGEST_WAIT, "{} run", marked(&mark));
    }
    host.kill().unwrap();
    host.wait().unwrap();
    assert_no(&mark);
}
