//! `windlass mcp import` and `trust`.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::program::{Place, text};

fn settings(place: &Place) -> PathBuf {
    place.folder.path().join("settings")
}

fn run(place: &Place, arguments: &[&str]) -> Output {
    let mut command = place.command(&[&["mcp"], arguments].concat());
    command.env("WINDLASS_CONFIG_DIR", settings(place)).output().unwrap()
}

#[test]
fn servers_of_another_client_come_into_the_users_file_and_nothing_is_overwritten() {
    let place = Place::new();
    let theirs = place.folder.path().join("theirs.json");
    let json = r#"{"mcpServers": {"files": {"command": "npx", "args": ["files"], "env": {"FILES_TOKEN": "0123456789abcdef"}}}}"#;
    fs::write(&theirs, json).unwrap();
    let theirs = theirs.to_str().unwrap();
    let shown = run(&place, &["import", theirs]);
    assert!(
        text(&shown.stdout).contains("[mcp_servers.files]\ncommand = \"npx\""),
        "{}",
        text(&shown.stdout)
    );
    assert!(text(&shown.stderr).contains("FILES_TOKEN looks like a secret"), "{}", text(&shown.stderr));
    assert!(!text(&shown.stdout).contains("0123456789abcdef") && !settings(&place).exists());
    fs::create_dir(settings(&place)).unwrap();
    let file = settings(&place).join("config.toml");
    let mine = "# mine\n[mcp_servers.other]\ncommand = \"other\" # stays\n";
    fs::write(&file, mine).unwrap();
    let written = run(&place, &["import", theirs, "--write"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let whole = fs::read_to_string(&file).unwrap();
    assert!(whole.starts_with(mine) && whole.contains("env_vars = [\"FILES_TOKEN\"]"), "{whole}");
    let again = run(&place, &["import", theirs, "--write"]);
    assert!(text(&again.stderr).contains("has files already; say --force"), "{}", text(&again.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
    fs::write(theirs, json.replace("npx", "node")).unwrap();
    assert!(run(&place, &["import", theirs, "--write", "--force"]).status.success());
    let replaced = fs::read_to_string(&file).unwrap();
    assert!(
        replaced.starts_with(mine) && replaced.contains("\"node\"") && !replaced.contains("npx"),
        "{replaced}"
    );
    fs::write(&file, "[mcp_servers.x]\ncomand = 1\n").unwrap();
    let refused = run(&place, &["import", theirs, "--write"]);
    assert!(text(&refused.stderr).contains("did you mean `command`?"), "{}", text(&refused.stderr));
}

// H11
#[test]
fn a_projects_server_waits_for_the_users_yes_and_a_change_takes_it_back() {
    let place = Place::new();
    let folder = place.project().join(".windlass");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("config.toml");
    fs::write(&file, "[mcp_servers.docs]\ncommand = \"docs\"\n").unwrap();
    let listed = |place: &Place| text(&run(place, &["trust"]).stdout);
    assert!(listed(&place).contains("not trusted"), "{}", listed(&place));
    assert!(run(&place, &["trust", "docs"]).status.success());
    assert!(!listed(&place).contains("not trusted"), "{}", listed(&place));
    fs::write(&file, "[mcp_servers.docs]\ncommand = \"docs\"\nargs = [\"--evil\"]\n").unwrap();
    assert!(listed(&place).contains("not trusted"), "{}", listed(&place));
    assert!(run(&place, &["trust", "docs"]).status.success());
    assert!(run(&place, &["trust", "docs", "--revoke"]).status.success());
    assert!(listed(&place).contains("not trusted"), "{}", listed(&place));
    let nobody = run(&place, &["trust", "nobody"]);
    assert!(text(&nobody.stderr).contains("names no server nobody"), "{}", text(&nobody.stderr));
    let state = place.folder.path().join("state/mcp/trusted.json");
    fs::write(&state, "{").unwrap();
    assert!(listed(&place).contains("not trusted"));
}
