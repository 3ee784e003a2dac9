//! Every example of the facade runs to its end, without a network and without a key.
#![expect(clippy::disallowed_methods, reason = "the test starts programs and reads their output")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The examples that this build has, with a text of their output.
const EXAMPLES: &[(&str, &str)] = &[
    #[cfg(all(feature = "openai", feature = "sandbox-tools"))]
    ("approve", ""),
    #[cfg(feature = "mock")]
    ("chat", "You are Ada."),
    #[cfg(all(feature = "evals", feature = "mock"))]
    ("evals", ""),
    #[cfg(feature = "mock")]
    ("hello", "Hello."),
    ("minimal", ""),
    ("partial_arguments", ""),
    #[cfg(feature = "mock")]
    ("test_an_agent", ""),
    ("tool_with_state", ""),
    #[cfg(feature = "mock")]
    ("typed_answer", ""),
    #[cfg(feature = "sandbox-tools")]
    ("walk", ""),
];

/// The longest run of an example on a busy machine.
const LONGEST: Duration = Duration::from_mins(2);

/// Returns the folder of the examples, which `cargo test` builds with the tests of a package.
fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    test.ancestors().nth(2).expect("a test is in `deps`").join("examples")
}

/// Runs an example without the user's environment, and returns its output.
fn run(name: &str) -> String {
    let program = folder().join(name);
    assert!(
        program.is_file(),
        "{} is missing: run `cargo test -p windlass`, which builds it",
        program.display()
    );
    let place = tempfile::tempdir().expect("a folder can be created");
    let mut command = Command::new(program);
    // A request to a provider would go to a closed port.
    command.env_clear().env("HOME", place.path()).env("HTTPS_PROXY", "http://127.0.0.1:9");
    let output = place.path().join("output");
    let file = std::fs::File::create(&output).expect("a file can be created");
    let mut child = command
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(file)
        .spawn()
        .expect("the example starts");
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the example can be waited for") {
            break status;
        }
        let is_late = began.elapsed() > LONGEST;
        if is_late {
            child.kill().expect("the example can be stopped");
        }
        assert!(!is_late, "the example {name} does not end");
        std::thread::sleep(Duration::from_millis(10));
    };
    let text = std::fs::read_to_string(output).expect("the output is UTF-8");
    assert!(status.success(), "{name}: {status}\n{text}");
    text
}

#[test]
fn every_example_runs_offline() {
    for (name, expected) in EXAMPLES {
        let text = run(name);
        assert!(text.contains(expected) && text.len() > 5, "{name} printed {text:?}");
    }
}

// A new example must be in the list above.
#[test]
fn the_list_of_examples_is_complete() {
    let source = include_str!("examples.rs");
    let manifest = include_str!("../../Cargo.toml");
    let examples = manifest.split("[[example]]").skip(1);
    let names: Vec<&str> = examples.filter_map(|part| part.split('"').nth(1)).collect();
    assert_eq!(names.len(), 10, "{names:?}");
    for name in names {
        assert!(source.contains(&format!("(\"{name}\", ")), "{name}");
    }
}
