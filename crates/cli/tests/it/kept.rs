//! Files that the program keeps, while several processes change them (correctness-2 1, 2, 8).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use crate::program::{Place, provider, text};

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn with_servers() -> Place {
    let place = Place::new();
    fs::create_dir(place.project().join(".windlass")).unwrap();
    let entries = NAMES.map(|name| format!("[mcp_servers.{name}]\ncommand = \"{name}-server\"\n"));
    let config = entries.concat();
    fs::write(place.project().join(".windlass/config.toml"), config).unwrap();
    place
}

/// Starts commands at once and waits for all of them.
fn together(place: &Place, commands: &[Vec<&str>]) {
    let start = |arguments: &Vec<&str>| {
        place.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<Child> = commands.iter().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

fn trusted(place: &Place) -> Vec<String> {
    let listed = text(&place.run(&["mcp", "trust"]).stdout);
    let lines = listed.lines().filter(|line| !line.starts_with(' ') && !line.contains("not trusted"));
    lines.filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

#[test]
fn concurrent_processes_lose_no_approval_and_no_revocation() {
    for _ in 0..4 {
        let place = with_servers();
        let all: Vec<Vec<&str>> = NAMES.iter().map(|name| vec!["mcp", "trust", name]).collect();
        together(&place, &all);
        assert_eq!(trusted(&place), NAMES);
        together(
            &place,
            &[
                vec!["mcp", "trust", "a", "--revoke"],
                vec!["mcp", "trust", "b"],
                vec!["mcp", "trust", "c", "--revoke"],
                vec!["mcp", "trust", "d"],
            ],
        );
        assert_eq!(trusted(&place), ["b", "d", "e", "f"]);
    }
}

#[test]
fn a_good_file_that_cannot_be_read_now_is_left_alone() {
    let place = with_servers();
    assert!(place.run(&["mcp", "trust", "a", "b"]).status.success());
    let file = place.folder.path().join("state/mcp/trusted.json");
    let good = fs::read_to_string(&file).unwrap();
    place.command(&["mcp", "trust"]).env("TMPDIR", "/nonexistent").output().unwrap();
    assert_eq!(trusted(&place), ["a", "b"]);
    // A restored backup that other users can read is not used, not renamed and not overwritten.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    assert!(trusted(&place).is_empty());
    let refused = place.run(&["mcp", "trust", "c"]);
    assert!(
        !refused.status.success() && text(&refused.stderr).contains("chmod 600"),
        "{}",
        text(&refused.stderr)
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), good);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(trusted(&place), ["a", "b"]);
}

#[test]
fn each_file_that_is_set_aside_is_kept() {
    let place = with_servers();
    let file = place.folder.path().join("state/mcp/trusted.json");
    for content in ["{1", "{2", "{3"] {
        assert!(place.run(&["mcp", "trust", "a"]).status.success());
        fs::write(&file, content).unwrap();
        assert!(trusted(&place).is_empty());
    }
    let names = fs::read_dir(file.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let mut kept: Vec<String> = names
        .filter(|path| path.to_str().unwrap().contains("corrupt-"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    kept.sort();
    assert_eq!(kept, ["{1", "{2", "{3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_side_by_side_overwrite_no_lesson_of_each_other() {
    let place = Place::new();
    let mut runs = Vec::new();
    for folder in ["docs", "notes", "plans", "texts"] {
        let script = format!(
            r#"{{"turns": [
            {{"steps": [{{"call": {{"name": "write_file", "arguments": {{"path": "{folder}/a.md", "content": "1"}}}}}}]}},
            {{"steps": [{{"call": {{"name": "write_file", "arguments": {{"path": "{folder}/b.md", "content": "2"}}}}}}]}},
            {{"steps": [{{"call": {{"name": "attempt_completion", "arguments": {{"result": "done"}}}}}}]}}]}}"#
        );
        runs.push(provider(&script).await);
    }
    let children: Vec<Child> = runs
        .iter()
        .map(|provider| {
            let url = provider.base_url();
            let mut command = place.command(&[
                "run",
                "x",
                "--base-url",
                &url,
                "--model",
                "m",
                "--ask",
                "--learn",
                "--no-checkpoints",
            ]);
            let mut child =
                command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"y\ny\n").unwrap();
            child
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let listed = text(&place.run(&["policy", "learned"]).stdout);
    assert_eq!(listed.matches("2 of 2 approved").count(), 4, "{listed}");
}
