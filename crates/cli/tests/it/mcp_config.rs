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

// security 6: a yes is to what was shown, and to nothing else.
#[test]
fn everything_that_a_projects_server_gets_is_shown_before_the_yes() {
    let place = Place::new();
    fs::create_dir(place.project().join(".windlass")).unwrap();
    let file = place.project().join(".windlass/config.toml");
    fs::write(
        &file,
        "[mcp_servers.docs]\nurl = \"http://127.0.0.1:1/mcp\"\nbearer_token_env_var = \"OPENAI_API_KEY\"\n\
         env_http_headers = { X-Trace = \"AWS_SECRET_ACCESS_KEY\" }\nhttp_headers = { X-Team = \"red\", X-Api-Key = \"0123456789abcdef\" }\n\
         [mcp_servers.local]\ncommand = \"sh\"\nargs = [\"-c\", \"exec ./srv.sh \\u001b[8m\"]\nsandbox = \"off\"\ncwd = \"tools\"\n\
         env = { LEVEL = \"2\", A_TOKEN = \"0123456789abcdef\" }\nenv_vars = [\"HOME\"]\n",
    )
    .unwrap();
    fs::create_dir(place.project().join("tools")).unwrap();
    fs::write(place.project().join("tools/srv.sh"), "echo 1\n").unwrap();
    for arguments in [&["trust"][..], &["trust", "docs", "local"]] {
        let shown = text(&run(&place, arguments).stdout);
        for words in [
            "address: http://127.0.0.1:1/mcp",
            "YOUR variable OPENAI_API_KEY as its bearer token",
            "YOUR variable AWS_SECRET_ACCESS_KEY as the header X-Trace",
            "the header X-Team: red",
            "command: sh",
            "argument: -c",
            "sandbox = \"off\"",
            "project/tools",
            "sets LEVEL = 2",
            "sets A_TOKEN = (a secret of 16 bytes",
            "YOUR variable HOME",
            "the project's file: tools/srv.sh",
        ] {
            assert!(shown.contains(words), "no {words:?} in {shown}");
        }
        assert!(!shown.contains("0123456789abcdef") && !shown.contains('\u{1b}'), "{shown}");
    }
    let listed = |place: &Place| text(&run(place, &["trust"]).stdout);
    assert!(!listed(&place).contains("not trusted"), "{}", listed(&place));
    fs::write(place.project().join("tools/srv.sh"), "echo 2\n").unwrap();
    assert_eq!(listed(&place).matches("not trusted").count(), 1, "{}", listed(&place));
    fs::write(place.project().join("tools/srv.sh"), "echo 1\n").unwrap();
    assert!(!listed(&place).contains("not trusted"), "{}", listed(&place));
    // A script that a name in the entry begins to mean is another script.
    fs::write(place.project().join("tools/sh"), "echo 3\n").unwrap();
    assert_eq!(listed(&place).matches("not trusted").count(), 1, "{}", listed(&place));
}

#[test]
fn a_yes_is_bound_to_each_script_that_the_command_names() {
    for (config, script) in [
        ("command = \"./srv.sh\"", "srv.sh"),
        ("command = \"python3\"\nargs = [\"-m\", \"pkg.srv\"]", "pkg/srv.py"),
        ("command = \"node\"\nargs = [\"server\"]", "server/index.js"),
        ("command = \"sh\"\nargs = [\"-c\", \"cd tools && ./srv.sh\"]", "tools/srv.sh"),
        ("command = \"srv\"\nenv = { PATH = \"bin:/usr/bin\" }", "bin/srv"),
        ("command = \"deno\"\nargs = [\"--config=deno.json\"]\ncwd = \"web\"", "web/deno.json"),
    ] {
        let place = Place::new();
        fs::create_dir(place.project().join(".windlass")).unwrap();
        fs::write(place.project().join(".windlass/config.toml"), format!("[mcp_servers.x]\n{config}\n"))
            .unwrap();
        let script = place.project().join(script);
        fs::create_dir_all(script.parent().unwrap()).unwrap();
        fs::write(&script, "1").unwrap();
        assert!(run(&place, &["trust", "x"]).status.success());
        let listed = || text(&run(&place, &["trust"]).stdout);
        assert!(!listed().contains("not trusted"), "{config}: {}", listed());
        fs::write(&script, "2").unwrap();
        assert!(listed().contains("not trusted"), "{config}: {}", listed());
        fs::remove_file(&script).unwrap();
        assert!(listed().contains("not trusted"), "{config}: {}", listed());
    }
}

// correctness-2 14
#[test]
fn an_import_writes_what_a_linked_config_leads_to_and_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let theirs = place.folder.path().join("theirs.json");
    fs::write(&theirs, r#"{"mcpServers": {"files": {"command": "npx"}}}"#).unwrap();
    let dotfiles = place.folder.path().join("dot");
    fs::create_dir(&dotfiles).unwrap();
    fs::create_dir(settings(&place)).unwrap();
    let real = dotfiles.join("config.toml");
    fs::write(&real, "# mine\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
    let link = settings(&place).join("config.toml");
    std::os::unix::fs::symlink("../dot/config.toml", &link).unwrap();
    let written = run(&place, &["import", theirs.to_str().unwrap(), "--write"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let whole = fs::read_to_string(&real).unwrap();
    assert!(whole.contains("# mine") && whole.contains("npx"), "{whole}");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o644);
}
