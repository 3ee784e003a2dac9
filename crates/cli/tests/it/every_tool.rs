//! Every tool by hand on a real repository, the one of this project: one correct call, and three wrong calls,
//! each of which must get an error with a remedy. The cases are in `every_tool.json`.

use std::path::Path;
use std::process::{Command, Output};

use serde::Deserialize;
use serde_json::Value;
use windlass_testkit::{Need, require};

use crate::program::{Place, text};

#[derive(Deserialize)]
struct Case {
    tool: String,
    /// Calls of the same process that come first.
    before: Vec<(String, Value)>,
    /// Arguments, and the expected status and a part of the result's text.
    good: (Value, String, String),
    /// Arguments, and a part of the result's text.
    bad: [(Value, String); 3],
}

/// A picture of one white point.
const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\xdacd\xf8\xcfP\x0f\0\x03\x86\x01\x80Z4}k\0\0\0\0IEND\xaeB\
    `\x82";

/// Shape of an answer to a mistake of the program, which does not go to the model.
const NOT_FOR_A_MODEL: [&str; 3] = ["panicked", "os error", "RUST_BACKTRACE"];

/// Words that instruct the model. They belong into the advice, which people do not see.
const INSTRUCTIONS: [&str; 20] = [
    "; use ",
    "; give ",
    "; try ",
    "; call ",
    "; list ",
    "; read ",
    "; name ",
    "; write ",
    "; make ",
    "; set ",
    ". Use ",
    ". Give ",
    ". Try ",
    ". Call ",
    ". Read ",
    ". Set ",
    ". Tell ",
    "continue without",
    " instead",
    "you ",
];

fn call(place: &Place, calls: &[(String, Value)], more: &[&str]) -> Output {
    let texts: Vec<_> = calls.iter().map(|(name, arguments)| (name, arguments.to_string())).collect();
    let mut words = vec!["tool", "call"];
    for (position, (name, arguments)) in texts.iter().enumerate() {
        words.extend((position > 0).then_some("--then"));
        words.extend([name.as_str(), arguments.as_str()]);
    }
    words.push("--yes");
    words.extend(more);
    place.run(&words)
}

fn git(words: &[&str], folder: &Path) -> bool {
    let mut git = Command::new("git");
    git.args(words).current_dir(folder).output().is_ok_and(|output| output.status.success())
}

/// The project as it is in the last commit, with a picture in it.
fn checked_out(place: &Place) -> bool {
    let (root, project) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), place.project());
    std::fs::remove_dir_all(&project).unwrap();
    let (from, to) = (root.display().to_string(), project.display().to_string());
    let cloned = git(&["clone", "--quiet", "--no-hardlinks", &from, &to], place.folder.path());
    if cloned {
        std::fs::write(project.join("dot.png"), DOT).unwrap();
    }
    cloned
}

/// Checks that the problem of a failed call, which people see, neither instructs the model nor names another tool.
#[track_caller]
fn check_problem(tool: &str, output: &Output, tools: &[String]) {
    // A call that the policy denies has no result.
    let problem = match serde_json::from_slice::<Value>(&output.stdout) {
        Ok(result) => result["content"].to_string(),
        Err(_) => text(&output.stderr),
    };
    assert!(!problem.is_empty(), "{tool} fails without a problem");
    for words in INSTRUCTIONS {
        assert!(!problem.contains(words), "{tool} tells people {words:?}: {problem}");
    }
    // A name can begin with that of another tool, and a name without an underscore can be a plain word.
    let problem = problem.replace(tool, "");
    let others = tools.iter().filter(|name| *name != tool && name.contains('_'));
    for other in others {
        assert!(!problem.contains(other.as_str()), "{tool} tells people about {other}: {problem}");
    }
}

#[track_caller]
fn check(place: &Place, case: &Case, tools: &[String]) {
    assert!(
        git(&["checkout", "--quiet", "."], &place.project()),
        "{}: the project stays as it was",
        case.tool
    );
    let (arguments, status, words) = &case.good;
    let mut calls = case.before.clone();
    calls.push((case.tool.clone(), arguments.clone()));
    let output = call(place, &calls, &[]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.success(), status == "ok", "{}: {told}", case.tool);
    assert!(told.contains(words), "{} has to say {words:?}: {told}", case.tool);
    for (arguments, words) in &case.bad {
        let output = call(place, &[(case.tool.clone(), arguments.clone())], &["--json"]);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(!output.status.success(), "{} {arguments}: {told}", case.tool);
        check_problem(&case.tool, &output, tools);
        // The words stand in the problem or in the advice.
        let told = told.replace("\\\"", "\"");
        assert!(told.contains(words), "{} {arguments} has to say {words:?}: {told}", case.tool);
        for never in NOT_FOR_A_MODEL {
            assert!(!told.contains(never), "{} {arguments}: {told}", case.tool);
        }
    }
}

#[test]
fn every_tool_works_on_a_repository_and_explains_wrong_calls() {
    let place = Place::new();
    let cases: Vec<Case> = serde_json::from_str(include_str!("every_tool.json")).unwrap();
    let listed = text(&place.run(&["tool", "list", "--preset", "full", "--json"]).stdout);
    let mut tools = Vec::new();
    for line in listed.lines() {
        let tool: Value = serde_json::from_str(line).unwrap();
        let name = tool["name"].as_str().unwrap();
        tools.push(name.to_owned());
        // `browser_action` is only offered on machines with Chromium, and has tests of its own.
        let has_case = cases.iter().any(|case| case.tool == name) || name == "browser_action";
        assert!(has_case, "{name} has no case");
    }
    require!(Need::Repository, checked_out(&place));
    let doctor: Value = serde_json::from_slice(&place.run(&["doctor", "--json"]).stdout).unwrap();
    for case in &cases {
        let runs_code = doctor["sandbox"]["runs_code"] == true;
        if case.tool == "execute_code" && Need::Namespaces.check(runs_code).is_none() {
            continue;
        }
        check(&place, case, &tools);
    }
}
