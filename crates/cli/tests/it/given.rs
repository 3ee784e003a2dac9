//! Inputs of the command line: options that are accepted or refused by name, and standard input.

use crate::program::{Place, output_with_input, provider, text};

const SCRIPT: &str =
    r#"{"turns": [{"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

#[test]
fn options_that_a_resumed_run_cannot_change_are_refused_by_name() {
    let place = Place::new();
    let output = place.run(&["run", "--resume", "1-2", "--model", "other", "--max-turns", "3", "--json"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("--model, --max-turns cannot be given with --resume"), "{told}");
}

#[test]
fn an_unknown_feature_is_refused() {
    let place = Place::new();
    let run = ["run", "x", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--feature", "agent"];
    let output = place.run(&run);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("unknown feature \"agent\"") && told.contains("agents, "), "{told}");
}

#[test]
fn a_folder_that_cannot_be_written_can_be_read() {
    let place = Place::new();
    // Not even root can write to this path.
    let output = place.run(&["tool", "call", "read_file", r#"{"path":"comm"}"#, "--root", "/proc/self"]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("windlass") && told.contains("opened for reading only"), "{told}");
    let write = r#"{"path":"x","content":"y"}"#;
    let output = place.run(&["tool", "call", "write_file", write, "--root", "/proc/self", "--yes"]);
    assert!(!output.status.success(), "{}", text(&output.stdout));
}

// Command line B18: a run that only reads works there, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_reads_in_a_folder_that_cannot_be_written() {
    for mode in [["--mode", "ask"], ["--autonomy", "read-only"]] {
        let script = r#"{"turns": [
            {"steps": [{"call": {"name": "read_file", "arguments": {"path": "comm"}}}]},
            {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "read"}}}]}]}"#;
        let (place, server) = (Place::new(), provider(script).await);
        let url = format!("{}/v1", server.base_url());
        let mut run =
            vec!["run", "x", "--model", "scripted-1", "--base-url", &url, "--root", "/proc/self", "--deny"];
        run.extend(mode);
        let output = place.run(&run);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success() && told.contains("opened for reading only"), "{mode:?}: {told}");
        assert!(told.contains("windlass"), "{mode:?}: {told}");
        server.shutdown().await;
    }
}

#[test]
fn a_folder_for_answers_is_not_made_by_a_typing_error() {
    let place = Place::new();
    let run =
        |folder| ["run", "x", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--approve-in", folder];
    let output = place.run(&run("../nosuch/answers"));
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("the folder ../nosuch does not exist"), "{told}");
    assert!(!place.folder.path().join("nosuch").exists());
}

#[test]
fn a_missing_policy_file_is_named_in_the_error() {
    let place = Place::new();
    let output =
        place.run(&["run", "x", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--policy", "nofile"]);
    assert!(
        text(&output.stderr).contains("the policy file nofile cannot be opened"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn an_invalid_policy_file_is_refused_without_its_content() {
    let place = Place::new();
    std::fs::write(place.project().join("my.env"), "A=1\nOPENAI_API_KEY=sk-proj-SECRET\u{1b}[31m\n").unwrap();
    let url = "http://127.0.0.1:9/v1";
    for line in [
        vec!["policy", "check", "--policy", "my.env"],
        vec!["run", "x", "--model", "m", "--base-url", url, "--policy", "my.env"],
        vec!["tool", "call", "read_file", "{}", "--policy", "my.env"],
    ] {
        let output = place.run(&line);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(!output.status.success(), "{line:?}");
        assert!(told.contains("TOML parse error at line 2"), "{line:?}: {told}");
        assert!(!told.contains("SECRET") && !told.contains('\u{1b}'), "{line:?}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_input_is_the_task_or_becomes_part_of_it() {
    for (task, input, wanted) in [
        ("-", "say it\n", "say it"),
        ("explain this", "a line of a log\n", "<stdin>\\na line of a log"),
        ("alone", "", "alone"),
    ] {
        let (place, provider) = (Place::new(), provider(SCRIPT).await);
        let url = provider.base_url();
        let command = place.command(&["run", task, "--base-url", &url, "--model", "m", "--deny"]);
        let output = output_with_input(command, input);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let journal = place.folder.path().join("state/runs").join(place.run_id()).join("journal");
        let journal = std::fs::read_to_string(journal).unwrap();
        let started = journal.lines().next().unwrap();
        assert!(started.contains(wanted), "{started}");
        assert_eq!(started.contains("<stdin>"), task == "explain this", "{started}");
    }
}

#[test]
fn an_empty_task_is_refused() {
    let place = Place::new();
    let output = place.run(&["run", "   ", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("the task is empty"), "{}", text(&output.stderr));
}

// Arguments keep the model's own white space, and a line of JSON stays a line.
#[test]
fn a_message_is_one_line_of_json() {
    let place = Place::new();
    let body = r#"{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"tool_use","id":"c",
        "name":"write_file","input":{
            "path": "a.rs",
            "content": "x"
        }}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}"#;
    for stage in ["message", "call", "chunk"] {
        let line = ["parse", "--wire", "anthropic", "--stage", stage, "-"];
        let output = place.run_with_input(&line, body);
        let told = text(&output.stdout);
        assert!(output.status.success() && !told.is_empty(), "{stage}: {}", text(&output.stderr));
        for line in told.lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{stage}: {line}");
        }
    }
}

// Everything that people read passes the one function that makes text safe for a terminal.
#[test]
fn only_the_screen_writes_to_the_terminal() {
    fn sources(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            // Tests print their measurements.
            if path.file_stem().is_some_and(|name| name == "tests") {
                continue;
            }
            if path.is_dir() { sources(&path, found) } else { found.push(path) }
        }
    }
    let mut files = Vec::new();
    sources(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
    // The library below the command line prints nothing at all.
    sources(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../app/src")), &mut files);
    assert!(files.len() > 80, "{}", files.len());
    for file in files {
        // Programs read the messages of MCP and ACP, the keyboard switches the marks of pasted text on and off, and the
        // painter reads the width.
        if ["acp.rs", "paint.rs", "screen.rs", "mcp/serve.rs", "terminal/keyboard.rs"]
            .iter()
            .any(|name| file.ends_with(name))
        {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for way in [
            "stdout().lock",
            "stderr().lock",
            "println!(",
            "print!(",
            "write!(std::io::std",
            "tokio::io::stdout",
        ] {
            assert!(!text.contains(way), "{}: {way}", file.display());
        }
        for stream in ["stdout()", "stderr()"] {
            let used = text.matches(stream).count();
            let asked = text.matches(&format!("{stream}.is_terminal()")).count();
            assert_eq!(
                used,
                asked,
                "{}: {stream} is used for more than to look whether it is a terminal",
                file.display()
            );
        }
    }
}

// Content of untrusted files, also in quotations, reaches the terminal without escape sequences.
#[test]
fn no_command_prints_an_escape_of_a_file() {
    let place = Place::new();
    let evil = "\u{1b}[31m\u{1b}]0;x\u{7}\u{202e}\u{9b}2J";
    let write = |name: &str, text: &str| std::fs::write(place.project().join(name), text).unwrap();
    write("evil.txt", evil);
    write("evil.toml", &format!("{evil} = 1\n"));
    write("body.json", &format!("{{\"{evil}\""));
    write("script.json", &format!(r#"{{"turns":[],"{}":1}}"#, "\\u001b[31m"));
    std::fs::create_dir_all(place.project().join(".windlass/tools")).unwrap();
    write(".windlass/policy.toml", &format!("{evil} = 1\n"));
    write(".windlass/config.toml", &format!("{evil} = 1\n"));
    write(".windlass/tools/x.toml", &format!("{evil} = 1\n"));
    let provider = format!("{evil}x");
    let folder = place.folder.path().join("served");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("evil.txt"), evil).unwrap();
    let server = format!(
        "{:?} mcp serve --sandbox off --root {folder:?} --preset minimal",
        env!("CARGO_BIN_EXE_windlass")
    );
    for line in [
        vec!["parse", "--wire", "anthropic", "body.json"],
        vec!["tool", "call", "read_file", r#"{"path":"evil.txt"}"#],
        vec!["policy", "check", "--policy", "evil.toml"],
        vec!["policy", "check"],
        vec!["mock", "--script", "script.json"],
        vec!["models", "--provider", &provider],
        vec!["modes", "show", &provider],
        vec!["run", &provider, "--wire", &provider],
        vec![
            "run",
            "x",
            "--model",
            &provider,
            "--base-url",
            "http://127.0.0.1:9/v1",
            "--feature",
            "project_tools",
        ],
        vec!["mcp", "list"],
        vec!["mcp", "call", &provider, "--server", &provider],
        vec!["mcp", "call", "read_file", r#"{"path":"evil.txt"}"#, "--command", &server, "--yes"],
        vec!["approvals", "list", &provider],
    ] {
        let output = place.run(&line);
        let told = text(&output.stdout) + &text(&output.stderr);
        let raw = ['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}'].into_iter().find(|one| told.contains(*one));
        assert_eq!(raw, None, "{line:?}: {told:?}");
        assert!(
            !line.starts_with(&["mcp", "call", "read_file"]) || told.contains("[31m"),
            "nothing was read: {told:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_to_a_completed_run_are_refused() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = provider.base_url();
    assert!(place.run(&["run", "x", "--base-url", &url, "--model", "m", "--deny"]).status.success());
    let output = place.run(&["say", &place.run_id(), "one more thing"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("is completed and receives no messages"), "{told}");
    let advice = format!("windlass run --continue {}", place.run_id());
    assert!(told.contains(&advice) && !told.contains("start a new run"), "{told}");
    // `last` names the run, too.
    let output = place.run(&["say", "last", "one more thing"]);
    assert!(text(&output.stderr).contains("is completed and receives no messages"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_resume_does_not_change_the_session() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = provider.base_url();
    assert!(place.run(&["run", "x", "--base-url", &url, "--model", "m", "--deny"]).status.success());
    let before = text(&place.run(&["sessions", "list", "--json"]).stdout);
    assert!(before.contains(r#""state":"ended""#), "{before}");
    let refused = place.run(&["run", "--resume", "last"]);
    assert!(text(&refused.stderr).contains("is completed and cannot be resumed"), "{refused:?}");
    assert_eq!(text(&place.run(&["sessions", "list", "--json"]).stdout), before);
}
