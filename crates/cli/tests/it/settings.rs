//! Files of a project that are read at the start of every command (security 18).

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{Place, provider, text};

/// The output of commands, which end soon and need little memory.
fn quick(mut command: Command) -> String {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
        }
        assert!(began.elapsed() <= Duration::from_secs(30), "it hangs");
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    text(&output.stdout) + &text(&output.stderr)
}

/// Returns a command with little memory, so that reading a file without an end fails and does not use up the
/// machine's memory.
fn poor(place: &Place, arguments: &[&str]) -> Command {
    let program = place.command(arguments);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 4000000; exec \"$0\" \"$@\""]).arg(program.get_program()).args(arguments);
    command.current_dir(place.project()).env_clear().stdin(Stdio::null());
    for (name, value) in program.get_envs() {
        command.env(name, value.unwrap());
    }
    command
}

/// Places a file that is refused, in every way.
fn hostile(kind: &str, file: &Path) {
    drop(fs::remove_file(file));
    match kind {
        "endless" => symlink("/dev/zero", file).unwrap(),
        "link" => symlink("elsewhere", file).unwrap(),
        "pipe" => {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mknodat(rustix::fs::CWD, file, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        }
        _ => fs::write(file, vec![b'#'; 2 * 1024 * 1024]).unwrap(),
    }
}

#[test]
fn a_projects_files_are_refused_where_they_are_links_pipes_devices_or_large() {
    let files: [(&str, &[&str]); 5] = [
        (".windlass/config.toml", &["mcp", "list"]),
        (".windlass/modes.toml", &["modes", "list"]),
        (".windlass/policy.toml", &["policy", "learned"]),
        (".windlass/workflows/w.toml", &["workflow", "list"]),
        (".windlass/tools/t.toml", &["tool", "list", "--feature", "project_tools"]),
    ];
    for (name, arguments) in files {
        for kind in ["endless", "link", "pipe", "large"] {
            let place = Place::new();
            let file = place.project().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file.with_file_name("elsewhere"), "").unwrap();
            hostile(kind, &file);
            let told = quick(poor(&place, arguments));
            let leaf = Path::new(name).file_name().unwrap().to_str().unwrap();
            assert!(told.contains(leaf) && told.contains("warning: "), "{name} {kind}: {told}");
        }
    }
}

#[test]
fn a_folder_of_a_project_that_is_a_link_gives_nothing() {
    let place = Place::new();
    let elsewhere = place.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("config.toml"), "[mcp_servers.x]\ncommand = \"x\"\n").unwrap();
    symlink(&elsewhere, place.project().join(".windlass")).unwrap();
    let told = quick(poor(&place, &["mcp", "list"]));
    assert!(told.contains("link") && !told.contains("not trusted"), "{told}");
}

/// A folder of definitions, a definition named `planted` in it, and a command that reads it for a project.
const DEFINED: [(&str, &str, &str, &[&str]); 5] = [
    ("workflows", "planted.toml", WORKFLOW, &["workflow", "list"]),
    ("tools", "planted.toml", TOOL, &["tool", "list", "--feature", "project_tools"]),
    ("skills", "planted.md", SKILL, &["tool", "call", "skill", PLANTED_SKILL, "--feature", "project_skills"]),
    (
        "commands",
        "planted.md",
        "Planted words.",
        &["tool", "call", "run_slash_command", PLANTED_COMMAND, "--feature", "slash_commands"],
    ),
    (
        "agents",
        "planted.md",
        AGENT,
        &[
            "run",
            "task",
            "--feature",
            "project_agents",
            "--feature",
            "agents",
            "--retry-for",
            "0",
            "--wire",
            "openai-chat",
            "--base-url",
            "http://127.0.0.1:1",
            "--model",
            "m",
            "--yes",
        ],
    ),
];
const WORKFLOW: &str = "name = \"planted\"\ndescription = \"Planted words.\"\n[[step]]\nname = \"a\"\ntool = \"list_files\"\narguments = { path = \".\" }\n";
const TOOL: &str = "description = \"Planted words.\"\nargv = [\"true\"]\n";
const SKILL: &str = "---\nname: planted\ndescription: Planted words.\n---\nPlanted words.\n";
const AGENT: &str = "---\nname: planted\ndescription: Planted words.\n---\nPlanted words.\n";
const PLANTED_SKILL: &str = "{\"skill\": \"planted\"}";
const PLANTED_COMMAND: &str = "{\"command\": \"planted\"}";

// security 18
#[test]
fn a_linked_folder_of_project_definitions_is_reported_and_not_read() {
    for (folder, file, content, arguments) in DEFINED {
        for is_whole in [false, true] {
            let place = Place::new();
            let elsewhere = place.folder.path().join("elsewhere");
            fs::create_dir_all(elsewhere.join(folder)).unwrap();
            fs::write(elsewhere.join(folder).join(file), content).unwrap();
            let settings = place.project().join(".windlass");
            if is_whole {
                symlink(&elsewhere, &settings).unwrap();
            } else {
                fs::create_dir(&settings).unwrap();
                symlink(elsewhere.join(folder), settings.join(folder)).unwrap();
            }
            let told = quick(poor(&place, arguments));
            let line = told.lines().find(|line| {
                line.contains(folder.trim_end_matches('s')) && line.contains("a link in a project's")
            });
            assert!(line.is_some_and(|line| line.contains("warning: ")), "{folder} {is_whole}: {told}");
            assert!(!told.contains("Planted words."), "{folder} {is_whole}: {told}");
        }
    }
}

#[test]
fn the_users_folders_of_definitions_may_be_links() {
    for (folder, file, content, arguments) in DEFINED {
        let place = Place::new();
        let (dotfiles, settings) =
            (place.folder.path().join("dotfiles"), place.folder.path().join("settings"));
        fs::create_dir_all(dotfiles.join(folder)).unwrap();
        fs::write(dotfiles.join(folder).join(file), content).unwrap();
        fs::create_dir(&settings).unwrap();
        symlink(dotfiles.join(folder), settings.join(folder)).unwrap();
        let mut command = place.command(arguments);
        command.env("WINDLASS_CONFIG_DIR", &settings);
        let told = quick(command);
        assert!(!told.contains("warning: ") || folder == "agents", "{folder}: {told}");
        assert!(!told.contains("link in a project"), "{folder}: {told}");
        assert!(told.contains("Planted words.") || folder == "agents", "{folder}: {told}");
    }
}

#[test]
fn a_projects_file_cannot_switch_learning_on() {
    let place = Place::new();
    fs::create_dir(place.project().join(".windlass")).unwrap();
    fs::write(place.project().join(".windlass/config.toml"), "[learning]\nenabled = true\n").unwrap();
    let told = quick(place.command(&["mcp", "list"]));
    assert!(told.contains("only your own file"), "{told}");
}

// A suspicion of correctness-2.
#[test]
fn a_folder_of_workflows_that_cannot_be_read_is_reported() {
    let place = Place::new();
    fs::create_dir(place.project().join(".windlass")).unwrap();
    fs::write(place.project().join(".windlass/workflows"), "a file").unwrap();
    let told = quick(place.command(&["workflow", "list"]));
    assert!(told.contains("workflows cannot be read"), "{told}");
}

// A run is assembled twice: once to check its settings, and once more in its folder.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_prints_a_warning_about_its_configuration_once() {
    let place = Place::new();
    fs::create_dir_all(place.project().join(".windlass")).unwrap();
    fs::write(place.project().join(".windlass/policy.toml"), "this is not a policy").unwrap();
    let provider = provider(r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#).await;
    let url = provider.base_url();
    let output =
        place.run(&["run", "x", "--base-url", &url, "--model", "m", "--preset", "minimal", "--deny"]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert_eq!(told.matches("every call needs approval").count(), 1, "{told}");
}

// A disk that is full, or a crash, leaves no half of a run's settings.
#[tokio::test(flavor = "multi_thread")]
async fn the_settings_of_a_run_are_written_whole_or_not_at_all() {
    let place = Place::new();
    let provider = provider(r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#).await;
    let task = "do it ".repeat(1_000);
    let url = provider.base_url();
    let arguments = ["run", &task, "--base-url", &url, "--model", "m", "--deny"];
    let program = place.command(&arguments);
    let mut command = Command::new("sh");
    // No file may have more than a block, and a write beyond it is an error of the program's own.
    command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""]).arg(program.get_program());
    command.args(arguments).current_dir(place.project()).env_clear().stdin(Stdio::null());
    for (name, value) in program.get_envs() {
        command.env(name, value.unwrap());
    }
    let output = command.output().unwrap();
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(!output.status.success() && told.contains("settings.json cannot be written"), "{told}");
    let run = place.folder.path().join("state/runs").join(place.run_id());
    assert_eq!(fs::read_dir(run).unwrap().count(), 0, "{told}");
}
