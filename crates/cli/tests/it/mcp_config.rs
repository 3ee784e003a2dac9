//! `windlass mcp import` and `trust`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
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
fn mcp_import_adds_servers_and_does_not_overwrite_by_default() {
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
    assert!(text(&again.stderr).contains("has files already; pass --force"), "{}", text(&again.stderr));
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
fn a_project_server_needs_approval_and_a_change_revokes_it() {
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
    assert!(text(&nobody.stderr).contains("does not define a server nobody"), "{}", text(&nobody.stderr));
    let state = place.folder.path().join("state/mcp/trusted.json");
    fs::write(&state, "{").unwrap();
    assert!(listed(&place).contains("not trusted"));
}

// security 6: an approval applies to the shown content, and to nothing else.
#[test]
fn everything_that_a_projects_server_gets_is_shown_before_approval() {
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
    // A new file makes a word of the entry the name of a script, so the approval does not apply any more.
    fs::write(place.project().join("tools/sh"), "echo 3\n").unwrap();
    assert_eq!(listed(&place).matches("not trusted").count(), 1, "{}", listed(&place));
}

#[test]
fn a_server_approval_covers_each_script_that_the_command_names() {
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

/// Creates a project with files and a server `x`.
fn project_with(config: &str, files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    fs::create_dir(place.project().join(".windlass")).unwrap();
    fs::write(place.project().join(".windlass/config.toml"), format!("[mcp_servers.x]\n{config}\n")).unwrap();
    for (name, content) in files {
        let file = place.project().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    place
}

// security 6: `npm run x` runs the command in package.json.
#[test]
fn an_approval_is_bound_to_the_files_that_decide_what_a_program_runs() {
    for (config, file) in [
        ("command = \"npm\"\nargs = [\"run\", \"x\"]", "package.json"),
        ("command = \"npx\"\nargs = [\"--prefix\", \"tools\", \"srv\"]", "tools/package-lock.json"),
        ("command = \"npx\"\nargs = [\"srv\"]", "node_modules/.bin/srv"),
        ("command = \"pnpm\"\nargs = [\"x\"]", "pnpm-workspace.yaml"),
        ("command = \"yarn\"\nargs = [\"x\"]", ".yarnrc.yml"),
        ("command = \"bun\"\nargs = [\"run\", \"x\"]", "bunfig.toml"),
        ("command = \"make\"\nargs = [\"x\"]", "Makefile"),
        ("command = \"just\"\nargs = [\"x\"]", "justfile"),
        ("command = \"task\"\nargs = [\"x\"]", "Taskfile.yml"),
        ("command = \"cargo\"\nargs = [\"xtask\", \"x\"]", ".cargo/config.toml"),
        ("command = \"cargo\"\nargs = [\"run\", \"--manifest-path\", \"srv/Cargo.toml\"]", "srv/build.rs"),
        ("command = \"uv\"\nargs = [\"run\", \"srv\"]", "pyproject.toml"),
        ("command = \"python3\"\nargs = [\"-m\", \"pkg.srv\"]", "pkg/__init__.py"),
        ("command = \"deno\"\nargs = [\"task\", \"x\"]", "deno.json"),
        ("command = \"docker\"\nargs = [\"compose\", \"run\", \"x\"]", "compose.yaml"),
        ("command = \"dotnet\"\nargs = [\"run\"]", "srv.csproj"),
        ("command = \"sh\"\nargs = [\"-c\", \"cd web && exec npm start\"]", "web/package.json"),
        ("command = \"env\"\nargs = [\"A=b\", \"make\", \"-C\", \"web\"]", "web/GNUmakefile"),
        ("command = \"npm\"\nargs = [\"start\"]\ncwd = \"web/app\"", "web/package.json"),
    ] {
        let place = project_with(config, &[("web/app/a", ""), ("srv/Cargo.toml", ""), ("tools/a", "")]);
        let listed = || text(&run(&place, &["trust"]).stdout);
        let trust = || assert!(run(&place, &["trust", "x"]).status.success());
        trust();
        // A new file changes the program that runs.
        let path = place.project().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "1").unwrap();
        assert!(listed().contains(&format!("since your approval {file} is new")), "{config}: {}", listed());
        // The first approval would apply again without the file.
        assert!(run(&place, &["trust", "x", "--revoke"]).status.success());
        trust();
        let shown = listed();
        assert!(shown.contains(&format!(": {file} (its present content)")), "{config}: {shown}");
        assert!(!shown.contains("not trusted"), "{config}: {shown}");
        fs::write(&path, "2").unwrap();
        assert!(
            listed().contains(&format!("since your approval {file} has changed")),
            "{config}: {}",
            listed()
        );
        fs::remove_file(&path).unwrap();
        assert!(listed().contains(&format!("since your approval {file} is gone")), "{config}: {}", listed());
        assert!(listed().contains("not trusted"), "{config}: {}", listed());
    }
}

#[test]
fn a_server_approval_covers_scripts_of_package_json_but_no_readme() {
    let files = [
        ("package.json", r#"{"scripts": {"x": "node lib/srv.js --read README.md"}}"#),
        ("lib/srv.js", "1"),
        ("README.md", "1"),
    ];
    let place = project_with("command = \"npm\"\nargs = [\"run\", \"x\"]", &files);
    let listed = || text(&run(&place, &["trust"]).stdout);
    assert!(run(&place, &["trust", "x"]).status.success());
    let shown = listed();
    assert!(
        shown.contains("follows the project's file: package.json")
            && shown.contains("may run the project's file: lib/srv.js"),
        "{shown}"
    );
    assert!(shown.contains("your approval ends when one of these files appears:"), "{shown}");
    fs::write(place.project().join("README.md"), "2").unwrap();
    assert!(!listed().contains("not trusted"), "{}", listed());
    fs::write(place.project().join("lib/srv.js"), "2").unwrap();
    assert!(listed().contains("since your approval lib/srv.js has changed"), "{}", listed());
}

#[test]
fn a_server_with_a_changed_bound_file_is_not_started_and_the_reason_is_reported() {
    for (program, file) in [("npm", "package.json"), ("make", "Makefile"), ("just", "justfile")] {
        let tools = tempfile::tempdir().unwrap();
        // Replaces the program, and runs the command in the project's file.
        let (fake, mark) = (tools.path().join(program), tools.path().join("started"));
        fs::write(&fake, format!("#!/bin/sh\nexec sh ./{file}\n")).unwrap();
        fs::set_permissions(&fake, fs::Permissions::from_mode(0o700)).unwrap();
        let content = format!("touch '{}'\n", mark.display());
        let config = format!("command = {fake:?}\nargs = [\"run\", \"x\"]\nsandbox = \"off\"");
        let place = project_with(&config, &[(file, &content)]);
        assert!(run(&place, &["trust", "x"]).status.success());
        run(&place, &["doctor"]);
        assert!(mark.exists(), "{program}: it is started after the yes");
        fs::remove_file(&mark).unwrap();
        fs::write(place.project().join(file), format!("{content}# changed\n")).unwrap();
        let told = run(&place, &["doctor"]);
        assert!(!mark.exists(), "{program}: {}", text(&told.stderr));
        let words = format!("since your approval {file} has changed");
        assert!(text(&told.stderr).contains(&words), "{program}: {}", text(&told.stderr));
        assert!(text(&told.stdout).contains(&words), "{program}: {}", text(&told.stdout));
        // An approval of an older version does not list files by name. It counts until a file changes.
        assert!(run(&place, &["trust", "x"]).status.success());
        let kept = place.folder.path().join("state/mcp/trusted.json");
        let mut value: serde_json::Value = serde_json::from_str(&fs::read_to_string(&kept).unwrap()).unwrap();
        assert!(value.as_object_mut().unwrap().remove("files").is_some());
        fs::write(&kept, value.to_string()).unwrap();
        run(&place, &["doctor"]);
        assert!(mark.exists(), "{program}: an older yes counts");
        fs::write(place.project().join(file), &content).unwrap();
        fs::write(place.project().join(file), format!("{content}# again\n")).unwrap();
        let told = text(&run(&place, &["doctor"]).stderr);
        assert!(
            told.contains("its entry or a file that it runs has changed since your approval"),
            "{program}: {told}"
        );
    }
}

// correctness-2 14
#[test]
fn an_import_writes_what_a_linked_config_leads_to_and_keeps_its_mode() {
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
