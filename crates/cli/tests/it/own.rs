//! The program's own files have a floor in every place, and a root inside them is refused (SECURITY
//! `f.own_policy`, `f.own_grants`).

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::program::{Place, output_with_input, text};

/// Returns the command of the program, with the project as the user's home.
fn at_home(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env_remove("WINDLASS_STATE_DIR").env("HOME", place.project());
    command
}

fn put(place: &Place, names: &[&str]) {
    for name in names {
        let file = place.project().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
    }
}

/// Returns the decision about a call with the autonomy `auto-edit`.
fn decided(command: Command, tool: &str, input: &serde_json::Value) -> String {
    let output = output_with_input(command, &serde_json::json!({ "tool": tool, "input": input }).to_string());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    format!("{} {}", line["decision"].as_str().unwrap(), line["rule_id"].as_str().unwrap())
}

const EXPLAIN: [&str; 4] = ["policy", "explain", "--autonomy", "auto-edit"];

#[test]
fn settings_and_state_below_the_root_have_a_floor() {
    let place = Place::new();
    put(&place, &[".config/windlass/config.toml", ".local/state/windlass/mcp/tokens/a.json"]);
    let ask = |tool, input| decided(at_home(&place, &EXPLAIN), tool, &input);
    for (path, rule) in [
        (".config/windlass/config.toml", "f.own_policy"),
        (".config/windlass/new/skill.md", "f.own_policy"),
        (".Config/x/../WINDLASS/policy.toml", "f.own_policy"),
        (".local/state/windlass/mcp/tokens/a.json", "f.own_grants"),
        (".local/state/windlass/runs/1/answers/x.json", "f.own_grants"),
    ] {
        let denied = format!("deny {rule}");
        assert_eq!(ask("read_file", serde_json::json!({ "path": path })), denied, "{path}");
        let write = serde_json::json!({ "path": path, "content": "x" });
        assert_eq!(ask("write_file", write), denied, "{path}");
        assert_eq!(ask("list_files", serde_json::json!({ "path": path })), denied, "{path}");
    }
    for path in [".config", ".local/state", ".local/state/windlass"] {
        let gone = ask("delete_file", serde_json::json!({ "path": path, "recursive": true }));
        assert!(gone.starts_with("deny f.own_"), "{path}: {gone}");
    }
    let whole = place.project().canonicalize().unwrap().join(".config/windlass/config.toml");
    let whole = format!("cat {}", whole.display());
    for command in ["cat .local/state/windlass/mcp/tokens/a.json", "cat x/../.config/windlass/a", &whole] {
        let told = ask("run_command", serde_json::json!({ "command": command }));
        assert!(told.starts_with("deny f.own_"), "{command}: {told}");
    }
    // Rules still apply to the files beside them.
    assert_eq!(ask("read_file", serde_json::json!({ "path": ".config/other/x" })), "allow b.read");
    assert_eq!(ask("write_file", serde_json::json!({ "path": "src/a.rs", "content": "x" })), "allow d.auto");
}

#[test]
fn folders_that_are_named_or_linked_have_the_same_floor() {
    let place = Place::new();
    put(&place, &["kept/runs/x", "conf/policy.toml", "dots/toolbox.toml"]);
    symlink(place.project().join("dots/toolbox.toml"), place.project().join("conf/toolbox.toml")).unwrap();
    symlink("kept", place.project().join("alias")).unwrap();
    let ask = |tool, path: &str| {
        let mut command = place.command(&EXPLAIN);
        // One path is relative, and the other leads through a link.
        command.env("WINDLASS_STATE_DIR", place.project().join("alias")).env("WINDLASS_CONFIG_DIR", "conf");
        decided(command, tool, &serde_json::json!({ "path": path, "content": "x" }))
    };
    for path in ["kept/runs/x", "alias/runs/x", "alias/new"] {
        assert_eq!(ask("write_file", path), "deny f.own_grants", "{path}");
    }
    for path in ["conf/policy.toml", "conf/tools/x.toml", "dots/toolbox.toml"] {
        assert_eq!(ask("write_file", path), "deny f.own_policy", "{path}");
    }
    assert_eq!(ask("write_file", "dots/other.toml"), "allow d.auto");
}

#[test]
fn a_root_inside_the_settings_or_state_folder_is_refused() {
    let place = Place::new();
    put(&place, &[".config/windlass/tools/x", ".local/state/windlass/runs/x"]);
    for root in [".config/windlass", ".config/windlass/tools", ".local/state/windlass/runs"] {
        let mut explain = at_home(&place, &EXPLAIN);
        explain.current_dir(place.project().join(root));
        let refused = output_with_input(explain, "");
        let told = text(&refused.stderr);
        assert!(!refused.status.success() && told.contains("choose another root"), "{root}: {told}");
    }
}
