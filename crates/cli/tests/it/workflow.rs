//! Workflows from the command line: finding, drawing, running, suspending and resuming them.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::program::{Place, provider, text};

const SUSPENDED: i32 = 75;

/// The text of each of the three agents of `git_commit`: each begins a conversation, and takes from it the
/// value that it requested.
const SCRIPT: &str = r#"{"turns": [{"steps": [{"text": "a.txt was mended, b.txt is new:\n```json\n{\"groups\": [{\"does\": \"mends a\", \"files\": [\"a.txt\"]}, {\"does\": \"adds b\", \"files\": [\"b.txt\"]}], \"commits\": [{\"subject\": \"Mend a\", \"body\": \"\", \"files\": [\"a.txt\"]}, {\"subject\": \"Add b\", \"body\": \"New.\", \"files\": [\"b.txt\"]}]}\n```"}]}]}"#;

fn git(place: &Place, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(place.project()).args(arguments);
    let output = git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// A project whose repository has a change and a new file.
fn repository() -> Place {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    git(&place, &["config", "user.name", "Ada"]);
    git(&place, &["config", "user.email", "ada@example.org"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "Begin"]);
    std::fs::write(place.project().join("a.txt"), "mended\n").unwrap();
    std::fs::write(place.project().join("b.txt"), "new\n").unwrap();
    place
}

#[track_caller]
fn check_commits(place: &Place) {
    assert_eq!(git(place, &["log", "--format=%s"]), "Add b\nMend a\nBegin\n");
    assert_eq!(git(place, &["status", "--porcelain"]), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn git_commit_is_run() {
    let (place, provider) = (repository(), provider(SCRIPT).await);
    let url = provider.base_url();
    let arguments = ["workflow", "run", "git_commit", "--yes", "--base-url", &url, "--model", "m"];
    let output = place.run(&arguments);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("▸ analyse: sub_agent_code_analyzer") && told.contains("✓ commit[1].make"),
        "{told}"
    );
    check_commits(&place);
    assert_eq!(provider.requests().len(), 3);
}

// DESIGN "Suspend anywhere": each question is answered from another process, and nothing is done twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_workflow_is_answered_from_other_processes() {
    let (place, provider) = (repository(), provider(SCRIPT).await);
    let url = provider.base_url();
    let arguments = ["workflow", "run", "git_commit", "--suspend", "--base-url", &url, "--model", "m"];
    let mut output = place.run(&arguments);
    let id = place.run_id();
    let mut rounds = 0;
    while output.status.code() == Some(SUSPENDED) {
        rounds += 1;
        assert!(rounds < 30, "it comes to an end");
        let list = place.run(&["approvals", "list", &id, "--full"]);
        assert!(text(&list.stdout).contains(&id), "{}", text(&list.stderr));
        let told = place.run(&["approvals", "approve", &id, "--all"]);
        assert!(told.status.success(), "{}{}", text(&told.stderr), text(&output.stdout));
        assert!(text(&told.stderr).contains(&format!("windlass workflow run --resume {id}")));
        output = place.run(&["workflow", "run", "--resume", &id]);
    }
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{told}");
    check_commits(&place);
    assert_eq!(provider.requests().len(), 3, "no agent was asked twice");
    assert!(rounds > 3, "the plan and each command were asked about: {rounds}");
    let again = place.run(&["workflow", "run", "--resume", &id]);
    assert!(again.status.success(), "what is over is told again");
    check_commits(&place);
    let wrong = place.run(&["run", "--resume", &id]);
    assert!(text(&wrong.stderr).contains(&format!("windlass workflow run --resume {id}")));
}

/// Kills the run after it has reported a number of started calls, and resumes it in another process.
fn killed_in(call: usize, url: &str) -> bool {
    let place = repository();
    let arguments = ["workflow", "run", "git_commit", "--yes", "--json", "--base-url", url, "--model", "m"];
    let mut program = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let begun = lines
        .by_ref()
        .filter(|line| line.as_ref().is_ok_and(|line| line.contains(r#""event":"call_running""#)));
    let is_reached = begun.take(call + 1).count() > call;
    program.kill().unwrap();
    program.wait().unwrap();
    let output = place.run(&["workflow", "run", "--resume", &place.run_id(), "--yes"]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "killed in call {call}: {told}");
    check_commits(&place);
    is_reached
}

// R6, issue 8 "Must be shown" 5: after `kill -9` another process resumes the workflow from its folder alone.
#[tokio::test(flavor = "multi_thread")]
async fn killed_in_every_call_it_makes_the_same_commits() {
    /// Four calls that gather facts, three agents, the question, and three calls for each of two commits.
    const CALLS: usize = 14;
    let provider = provider(SCRIPT).await;
    let url = provider.base_url();
    let killed =
        |odd: usize| (0..=CALLS).filter(|call| call % 2 == odd).filter(|call| killed_in(*call, &url)).count();
    let reached = std::thread::scope(|scope| {
        let other = scope.spawn(|| killed(1));
        killed(0) + other.join().unwrap()
    });
    assert_eq!(reached, CALLS, "there is no other call");
}

/// A script whose model runs the project's workflow, which asks a human.
const HANDS_ON: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_workflow", "arguments": {"workflow": "check", "input": {"what": "a.txt"}}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "checked"}}}]}]}"#;

const CHECK: &str = r#"
name = "check"
description = "Reads a file and asks about it."
[input.what]
description = "Which file."
[[step]]
name = "read"
tool = "read_file"
arguments = { path = "{{ input.what }}" }
[[step]]
name = "right"
approval = "Is it right?"
about = "{{ steps.read.output }}"
"#;

// H13: a question of a sub-agent is answered at the root.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_has_a_workflow_run_whose_question_is_answered_at_the_root() {
    let (place, provider) = (Place::new(), provider(HANDS_ON).await);
    let folder = place.project().join(".windlass/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("check.toml"), CHECK).unwrap();
    let url = provider.base_url();
    let run = ["run", "check it", "--base-url", &url, "--model", "m", "--suspend"];
    let mut output = place.run(&[&run[..], &["--feature", "project_workflows"]].concat());
    let id = place.run_id();
    let mut asked = String::new();
    for _ in 0..4 {
        if output.status.code() != Some(SUSPENDED) {
            break;
        }
        asked += &text(&place.run(&["approvals", "list", &id, "--full"]).stdout);
        let told = place.run(&["approvals", "approve", &id, "--all"]);
        assert!(told.status.success(), "{}", text(&told.stderr));
        output = place.run(&["run", "--resume", &id]);
    }
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success() && told.contains("checked"), "{told}");
    assert!(asked.contains("workflow check") && asked.contains("Is it right?"), "{asked}");
}

// Sub-agents have a feature of their own: a workflow brings those that its steps call, and no other.
#[tokio::test(flavor = "multi_thread")]
async fn an_offered_workflow_offers_only_the_agents_that_its_steps_call() {
    const ASKS_AGENT: &str =
        "name = \"look\"\n[[step]]\nname = \"see\"\nagent = \"code_explorer\"\ntask = \"Look.\"\n";
    for (workflow, expected) in [(CHECK, &[] as &[&str]), (ASKS_AGENT, &["sub_agent_code_explorer"])] {
        let provider = provider(r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#).await;
        let place = Place::new();
        let folder = place.project().join(".windlass/workflows");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("one.toml"), workflow).unwrap();
        let url = provider.base_url();
        let run = ["run", "x", "--base-url", &url, "--model", "m", "--deny", "--preset", "minimal"];
        place.run(&[&run[..], &["--feature", "project_workflows"]].concat());
        let request = provider.requests()[0].body.clone();
        let names = request["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].as_str());
        let names: Vec<&str> = names.map(Option::unwrap).collect();
        assert!(names.contains(&"run_workflow"), "{names:?}");
        let delegating = ["sub_agent_", "spawn_agent", "send_input", "wait", "close_agent", "new_task"];
        let is_delegating = |name: &&&str| delegating.iter().any(|start| name.starts_with(start));
        assert_eq!(names.iter().filter(is_delegating).copied().collect::<Vec<_>>(), expected);
    }
}

// A recording has the calls inside a workflow: a replay walks the graph again without running a tool.
#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_run_with_a_workflow_happens_again() {
    let (place, provider) = (Place::new(), provider(HANDS_ON).await);
    let folder = place.project().join(".windlass/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("check.toml"), CHECK).unwrap();
    let url = provider.base_url();
    let run = ["run", "check it", "--base-url", &url, "--model", "m", "--yes", "--record", "tape.jsonl"];
    let output = place.run(&[&run[..], &["--feature", "project_workflows"]].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let output = place.run(&["run", "--replay", "tape.jsonl"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

const PROJECT: &str = r#"
name = "greet"
description = "Asks whom to greet."
[input.greeting]
default = "hello"
[[step]]
name = "whom"
ask = "Whom?"
[[step]]
name = "say"
tool = "run_command"
arguments = { argv = ["make", "{{ input.greeting }} {{ steps.whom.output }}"] }
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_projects_workflow_is_found_drawn_and_trusted_no_more_than_others() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let folder = place.project().join(".windlass/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("greet.toml"), PROJECT).unwrap();
    std::fs::write(folder.join("broken.toml"), "name = \"broken\"\ncolour = 1").unwrap();
    let listed = place.run(&["workflow", "list"]);
    let told = text(&listed.stdout);
    assert!(told.contains("git_commit") && told.contains("Asks whom to greet. (the project's)"), "{told}");
    assert!(text(&listed.stderr).contains("broken.toml is refused"), "{}", text(&listed.stderr));
    let drawn = text(&place.run(&["workflow", "show", "greet"]).stdout);
    assert!(
        drawn.contains("── whom  ask: Whom?") && drawn.contains("  ▼\n── say  tool run_command make"),
        "{drawn}"
    );

    let url = provider.base_url();
    let run =
        ["workflow", "run", "greet", "--input", "greeting=good day", "--base-url", &url, "--model", "m"];
    let output = place.run(&run);
    assert_eq!(output.status.code(), Some(SUSPENDED), "{}", text(&output.stderr));
    let id = place.run_id();
    assert!(place.run(&["approvals", "result", &id, "whom", "Ada"]).status.success());
    let output = place.run(&["workflow", "run", "--resume", &id, "--deny"]);
    let told = text(&output.stdout);
    assert!(
        !output.status.success() && told.contains("✓ whom") && told.contains("✗ say: [denied]"),
        "{told}"
    );
    assert!(
        place.run(&["workflow", "run", "nobody", "--base-url", &url, "--model", "m"]).status.code()
            == Some(1)
    );
}
