//! The report of the program about this machine, and about the confinement of its commands.

use serde_json::Value;

use crate::program::{Place, text};

fn doctor(place: &Place) -> Value {
    let output =
        place.command(&["doctor", "--json"]).env("OPENAI_API_KEY", "sk-not-to-be-shown").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("sk-not-to-be-shown"));
    serde_json::from_slice(&output.stdout).unwrap()
}

// Q3
#[test]
fn the_doctor_reports_the_level_and_the_needs_of_a_better_one() {
    let place = Place::new();
    let report = doctor(&place);
    let level = report["sandbox"]["level"].as_str().unwrap();
    assert!(["ns+landlock+seccomp", "landlock+seccomp", "none"].contains(&level), "{level}");
    let missing = report["sandbox"]["missing"].as_array().unwrap();
    assert!(level == "ns+landlock+seccomp" || !missing.is_empty(), "{report}");
    assert!(
        missing.iter().all(|gap| gap["remedy"].as_str().is_some_and(|words| words.len() > 20)),
        "{report}"
    );
    assert!(report["keys"].to_string().contains("OPENAI_API_KEY"), "{report}");
    let words = text(&place.run(&["doctor"]).stdout);
    for part in ["sandbox: ", "Programs\n", "State\n", "Keys ", "none is set", "Terminal\n"] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn a_command_is_confined_unless_that_is_switched_off() {
    let place = Place::new();
    let level = doctor(&place)["sandbox"]["level"].as_str().unwrap().to_owned();
    let call = |file: &str, more: &[&str]| {
        let command = format!("{{\"command\":\"cat {file}\"}}");
        let arguments = ["tool", "call", "run_command", &command, "--yes"];
        place.run(&[&arguments, more].concat())
    };
    std::fs::write(place.folder.path().join("secret"), "outside").unwrap();
    let confined = text(&call("../secret", &[]).stdout);
    assert!(confined.contains(&format!("sandbox: {level}]")), "{confined}");
    assert!(level == "none" || !confined.contains("outside"), "{confined}");
    // The command can read neither the state of runs nor a policy, even if they are in its folder.
    std::fs::write(place.project().join("rules.toml"), "# outside\n").unwrap();
    let hidden = text(&call("rules.toml", &["--policy", "rules.toml"]).stdout);
    assert!(level != "ns+landlock+seccomp" || !hidden.contains("outside"), "{hidden}");
    let required = call("a.txt", &["--sandbox", "required"]);
    assert_eq!(
        text(&required.stdout).contains("sandbox: ns+landlock+seccomp]"),
        level == "ns+landlock+seccomp"
    );
    let code = place.run(&[
        "tool",
        "call",
        "execute_code",
        r#"{"language":"python","code":"print(6*7)"}"#,
        "--yes",
        "--sandbox",
        "off",
    ]);
    assert!(!code.status.success() && text(&code.stdout).contains("nothing was run"), "{code:?}");
}

// The arguments of a helper process are not meant for a person.
#[test]
fn a_helper_without_instructions_runs_nothing() {
    let output = Place::new().run(&["__confine", "outer", "none", "--", "/bin/echo", "ran"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(125), 0));
}
