//! Sub-agents of a run, and their questions, which are answered while no process works on the run.

use std::fs;

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "hand", "name": "sub_agent_scribe", "arguments": {"task": "write one.txt"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "all done"}}}]}],
    "parts": {"You are the scribe.": [
    {"steps": [{"call": {"id": "write", "name": "write_file", "arguments": {"path": "one.txt", "content": "1"}}}]},
    {"steps": [{"text": "one.txt is written"}]}]}}"#;

const SCRIBE: &str =
    "---\nname: scribe\ndescription: Writes what it is told.\ntools: write_file\n---\nYou are the scribe.\n";

/// The output of a shell about a suspended run.
const SUSPENDED: i32 = 75;

// H13, DESIGN "Ahead of everyone" 5: the question of a sub-agent is listed, shown with the name of the
// sub-agent, and answered from another process; the root continues with the answer.
#[tokio::test(flavor = "multi_thread")]
async fn the_question_of_an_agent_is_answered_from_another_process() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let agents = place.project().join(".windlass/agents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("scribe.md"), SCRIBE).unwrap();
    fs::write(agents.join("wrong.md"), "---\nname: wrong\ntool: all\n---\nx").unwrap();
    let url = provider.base_url();
    let run =
        ["run", "do it", "--base-url", &url, "--model", "m", "--suspend", "--feature", "project_agents"];
    let output = place.run(&run);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(SUSPENDED), "{told}");
    assert!(told.contains("wrong.md is left out: its front matter has the unknown key `tool`"), "{told}");
    let id = place.run_id();
    let ok = |arguments: &[&str], code: Option<i32>| {
        let output = place.run(arguments);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), code, "{arguments:?}: {told}");
        told
    };
    ok(&["approvals", "approve", &id, "hand"], Some(0));
    let told = ok(&["run", "--resume", &id], Some(SUSPENDED));
    assert!(told.contains("[scribe] → write_file"), "{told}");
    assert!(!place.project().join("one.txt").exists());
    let told = ok(&["approvals", "list", &id, "--full"], Some(0));
    assert!(told.contains("asked by: scribe") && told.contains("change of one.txt"), "{told}");
    ok(&["approvals", "approve", &id, "write", "--comment", "Run it once"], Some(0));
    let told = ok(&["run", "--resume", &id], Some(0));
    assert!(told.contains("all done"), "{told}");
    assert_eq!(fs::read_to_string(place.project().join("one.txt")).unwrap(), "1");
    let requests = provider.requests();
    assert_eq!(requests.len(), 4, "each answer was asked for once");
    let child = requests[1].body.to_string();
    assert!(
        child.contains("You are the scribe.") && !child.contains("do it"),
        "it begins without the conversation: {child}"
    );
    assert!(requests[3].body.to_string().contains("one.txt is written"));
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_offered_only_if_configured() {
    for (feature, is_offered) in [(None, false), (Some("agents"), true)] {
        let (place, provider) =
            (Place::new(), provider(r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#).await);
        let url = provider.base_url();
        let mut run =
            vec!["run", "do it", "--base-url", &url, "--model", "m", "--yes", "--preset", "minimal"];
        run.extend(feature.iter().flat_map(|feature| ["--feature", feature]));
        place.run(&run);
        let body = provider.requests()[0].body.to_string();
        for name in ["sub_agent_code_explorer", "spawn_agent", "close_agent"] {
            assert_eq!(body.contains(name), is_offered, "{name} with {feature:?}");
        }
    }
}

const COUNTED: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "hand", "name": "sub_agent_scribe", "arguments": {"task": "write one.txt"}}}],
        "usage": {"input": 1000, "output": 10}},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "all done"}}}],
        "usage": {"input": 2000, "output": 20}}],
    "parts": {"You are the scribe.": [
    {"steps": [{"text": "one.txt exists"}], "usage": {"input": 500, "output": 5}}]}}"#;

// Regression test: the tokens of `run`, and tokens and cost of `sessions show`, left out those of sub-agents.
#[tokio::test(flavor = "multi_thread")]
async fn the_tokens_and_the_cost_of_a_run_are_those_of_its_session() {
    let (place, provider) = (Place::new(), provider(COUNTED).await);
    let agents = place.project().join(".windlass/agents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("scribe.md"), SCRIBE).unwrap();
    let url = provider.base_url();
    let run = ["run", "do it", "--base-url", &url, "--model", "m", "--yes", "--feature", "project_agents"];
    let output = place.run(&[&run[..], &["--price", "3,15"]].concat());
    let told = text(&output.stderr);
    // 3500 * 3 + 35 * 15 = 11025 millionths.
    assert!(told.contains("3500 tokens in, 35 out, cost 0.0111"), "{told}");
    let shown = text(&place.run(&["sessions", "show", "last"]).stdout);
    assert!(shown.contains("3500 tokens in, 35 out") && shown.contains("0.011025"), "{shown}");
    assert_eq!(place.windows(), ["option --yes"]);
}

const TWO: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "one", "name": "sub_agent_scribe", "arguments": {"task": "write"}}},
        {"call": {"id": "two", "name": "sub_agent_clerk", "arguments": {"task": "run"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "all done"}}}]}],
    "parts": {"You are the scribe.": [
    {"steps": [{"call": {"id": "call_0_0", "name": "write_file", "arguments": {"path": "one.txt", "content": "1"}}}]},
    {"steps": [{"text": "written"}]}],
    "You are the clerk.": [
    {"steps": [{"call": {"id": "call_0_0", "name": "run_command", "arguments": {"command": "echo 2 > two.txt"}}}]},
    {"steps": [{"text": "run"}]}]}}"#;

// security 10: models choose the ids of calls, so an answer names the question.
#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_two_calls_have_answers_neither() {
    let (place, provider) = (Place::new(), provider(TWO).await);
    let agents = place.project().join(".windlass/agents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("scribe.md"), SCRIBE).unwrap();
    let clerk = "---\nname: clerk\ndescription: Runs.\ntools: run_command\n---\nYou are the clerk.\n";
    fs::write(agents.join("clerk.md"), clerk).unwrap();
    let url = provider.base_url();
    let run =
        ["run", "do it", "--base-url", &url, "--model", "m", "--suspend", "--feature", "project_agents"];
    assert_eq!(place.run(&run).status.code(), Some(SUSPENDED));
    let id = place.run_id();
    assert!(place.run(&["approvals", "approve", &id, "--all"]).status.success());
    assert_eq!(place.run(&["run", "--resume", &id]).status.code(), Some(SUSPENDED));
    let listed = text(&place.run(&["approvals", "list", &id]).stdout);
    let line = |tool: &str| listed.lines().find(|line| line.contains(tool)).unwrap_or_default().to_owned();
    let (write, run) = (line("write_file"), line("run_command"));
    assert!(write.contains("scribe: call_0_0") && run.contains("clerk: call_0_0"), "{listed}");
    let both = place.run(&["approvals", "approve", &id, "call_0_0"]);
    let told = text(&both.stderr);
    assert!(
        !both.status.success() && told.contains("2 questions") && told.contains("name the question"),
        "{told}"
    );
    assert!(!text(&place.run(&["approvals", "list", &id]).stdout).contains("approved"));
    let question = write.split_whitespace().next().unwrap();
    assert!(place.run(&["approvals", "approve", &id, question]).status.success());
    let listed = text(&place.run(&["approvals", "list", &id]).stdout);
    assert_eq!(listed.matches("approved").count(), 1, "{listed}");
    place.run(&["run", "--resume", &id]);
    assert!(place.project().join("one.txt").exists() && !place.project().join("two.txt").exists());
}
