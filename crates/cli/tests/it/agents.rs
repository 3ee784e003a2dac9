//! Work that a run hands to other agents, and their questions, answered while nothing runs.

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

/// What a shell reports of a suspended run.
const SUSPENDED: i32 = 75;

// H13, DESIGN "Ahead of everyone" 5: the question of an agent is listed, shown with who asks, and answered from another
// process; the root goes on with it.
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
    assert!(told.contains("wrong.md is left out: its front matter has the key `tool`"), "{told}");
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
    ok(&["approvals", "approve", &id, "write", "--comment", "this once"], Some(0));
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
async fn agents_are_offered_only_where_that_is_said() {
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
