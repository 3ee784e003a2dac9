//! What is offered in every mode and preset.
//!
//! The table in `TOOLS.md` is written by this test: `UPDATE_EXPECT=1 cargo test -p windlass-cli tools`.

use std::fmt::Write as _;

use expect_test::expect_file;
use serde_json::Value;

use crate::program::{Place, text};

const MODES: [&str; 5] = ["architect", "code", "ask", "debug", "orchestrator"];
const PRESETS: [&str; 3] = ["minimal", "standard", "full"];

fn list(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let output = place.run(&[&["tool", "list", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

// L11
#[test]
fn what_is_offered_in_every_mode_and_preset_is_as_written_down() {
    let place = Place::new();
    let all = list(&place, &["--preset", "full"]);
    let mut page = "# Tools by mode and preset\n\nWritten by a test (`tests/it/tools.rs`): the tools that \
        `windlass tool list --mode M --preset P --json` gives, with m, s and f for the presets minimal, standard and \
        full. In the first column no mode is said; `switch_mode` is there where one is.\n\n"
        .to_owned();
    let _ = writeln!(page, "| tool | group | risk | no mode | {} |", MODES.join(" | "));
    let _ = writeln!(page, "|---|---|---|---|{}", "---|".repeat(MODES.len()));
    let offered = |mode: Option<&str>, preset: &str| {
        let mut arguments = vec!["--preset", preset];
        arguments.extend(mode.iter().flat_map(|mode| ["--mode", *mode]));
        list(&place, &arguments)
    };
    let lists: Vec<Vec<Vec<Value>>> = std::iter::once(None)
        .chain(MODES.map(Some))
        .map(|mode| PRESETS.map(|preset| offered(mode, preset)).to_vec())
        .collect();
    let code = lists.get(2).and_then(|presets| presets.get(2)).unwrap();
    let known = if code.len() > all.len() { code } else { &all };
    for tool in known {
        let name = tool["name"].as_str().unwrap();
        // Offered only where a Chromium is.
        if name == "browser_action" {
            continue;
        }
        let word = |key: &str| tool[key].as_str().unwrap().to_owned();
        let risk = tool["hints"]["risk"].as_str().unwrap();
        let _ = write!(page, "| `{name}` | {} | {risk} |", word("group"));
        for presets in &lists {
            let letters: String = (presets.iter().zip(["m", "s", "f"]))
                .filter(|(tools, _)| names(tools).contains(&name))
                .map(|(_, letter)| letter)
                .collect();
            let _ = write!(page, " {letters} |");
        }
        page.push('\n');
    }
    expect_file!["../../TOOLS.md"].assert_eq(&page);
    assert_eq!(names(&lists[0][0]), ["read_file", "write_file", "edit_file", "run_command"]);
}

#[test]
fn tools_are_added_taken_away_and_renamed() {
    let place = Place::new();
    let minimal =
        list(&place, &["--preset", "minimal", "--tool", "grep_file", "--disable-tool", "run_command"]);
    assert_eq!(names(&minimal), ["read_file", "write_file", "edit_file", "grep_file"]);
    let patching = list(&place, &["--preset", "minimal", "--model", "gpt-5-mini"]);
    assert_eq!(names(&patching), ["read_file", "write_file", "apply_patch", "run_command"]);
    let settings = place.folder.path().join("settings");
    std::fs::create_dir(&settings).unwrap();
    std::fs::write(settings.join("toolbox.toml"), "rename = { edit_file = \"search_replace\" }\n").unwrap();
    let mut command = place.command(&["tool", "list", "--preset", "minimal"]);
    let told = text(&command.env("WINDLASS_CONFIG_DIR", &settings).output().unwrap().stdout);
    assert!(told.contains("search_replace") && !told.contains("edit_file"), "{told}");
}

#[test]
fn modes_come_from_files_and_what_is_wrong_in_one_is_named() {
    let place = Place::new();
    let folder = place.project().join(".windlass");
    std::fs::create_dir(&folder).unwrap();
    let mode = "[[mode]]\nslug = \"docs\"\nname = \"Docs\"\nrole = \"You write.\"\ngroups = [\"read\"]\n";
    std::fs::write(folder.join("modes.toml"), mode).unwrap();
    assert!(text(&place.run(&["modes", "list"]).stdout).contains("docs"));
    let shown: Value =
        serde_json::from_slice(&place.run(&["modes", "show", "architect", "--json"]).stdout).unwrap();
    assert_eq!(shown["groups"][3]["file_regex"], r"\.md$");
    assert_eq!(names(&list(&place, &["--preset", "minimal", "--mode", "docs"])).first(), Some(&"read_file"));
    std::fs::write(folder.join("modes.toml"), format!("{mode}grups = 1\n")).unwrap();
    let left_out = place.run(&["modes", "list"]);
    let told = text(&left_out.stderr);
    assert!(left_out.status.success() && told.contains("modes.toml") && told.contains("grups"), "{told}");
    let wrong = place.run(&["tool", "list", "--mode", "auto-edit"]);
    assert!(text(&wrong.stderr).contains("--autonomy auto-edit"), "{}", text(&wrong.stderr));
}

#[test]
fn a_file_of_the_user_is_a_tool_and_a_projects_waits_for_its_feature() {
    let place = Place::new();
    let settings = place.folder.path().join("settings");
    let file = "description = \"Counts lines.\"\nargv = [\"wc\", \"-l\", \"--\", \"{path}\"]\n\
        schema = { properties = { path = { type = \"string\" } } }\n";
    for (folder, name) in
        [(settings.join("tools"), "lines.toml"), (place.project().join(".windlass/tools"), "theirs.toml")]
    {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), file).unwrap();
    }
    let run =
        |arguments: &[&str]| place.command(arguments).env("WINDLASS_CONFIG_DIR", &settings).output().unwrap();
    let told = text(&run(&["tool", "list"]).stdout);
    assert!(told.contains("lines") && !told.contains("theirs"), "{told}");
    assert!(text(&run(&["tool", "list", "--feature", "project_tools"]).stdout).contains("theirs"));
    let called = run(&["tool", "call", "lines", r#"{"path":"a.txt"}"#, "--yes", "--sandbox", "off"]);
    assert!(text(&called.stdout).contains("1 a.txt"), "{}{}", text(&called.stdout), text(&called.stderr));
}
