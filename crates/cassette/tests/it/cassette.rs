//! A test that records without a file, and replays with a file.

use std::path::Path;

use windlass_agent::{Agent, ApproveAll};
use windlass_cassette::{Cassette, CassetteError, CassetteMode, CassetteOptions};
use windlass_mock::ScriptedProvider;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use crate::scene::{Change, KEY, provider};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "change", "arguments": {"n": 1}, "id": "c1"}}],
     "hostile": {"switch": "status", "status": 503, "retry_after": 1, "times": 1}},
    {"steps": [{"text": "done"}]},
    {"steps": [{"text": "again"}]}]}"#;

/// Options with the variables of a machine on which only this provider is configured.
fn options(provider: Option<&ScriptedProvider>, has_key: bool) -> CassetteOptions {
    let url = provider.map(|provider| format!("{}/v1", provider.base_url()));
    CassetteOptions::default().with_variables(move |name| match name {
        "OPENAI_BASE_URL" => url.clone(),
        "OPENAI_API_KEY" if has_key => Some(KEY.to_owned()),
        _ => None,
    })
}

fn agent(cassette: &Cassette, tool: &std::sync::Arc<Change>) -> Result<Agent, CassetteError> {
    let tools = Toolbox::builder().tool(cassette.shared_tool(tool.clone()));
    let toolbox = tools.config(ToolConfig::new(Preset::Full)).build().unwrap();
    let builder = cassette.agent("openai", "gpt-5.1")?.toolbox(toolbox);
    Ok(builder.approver(cassette.approver(ApproveAll)).build().unwrap())
}

async fn answer(agent: &Agent, task: &str) -> String {
    agent.run(task).await.unwrap().into_text().unwrap()
}

/// Files of a folder, with the hidden ones.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn a_missing_file_is_recorded_and_then_replayed_without_key_and_network() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("below/run.jsonl");
    let tool = Change::new();
    let provider = provider(SCRIPT).await;

    let cassette = Cassette::open_with(&file, &options(Some(&provider), true)).unwrap();
    assert!(cassette.is_recording());
    assert_eq!(answer(&agent(&cassette, &tool).unwrap(), "change it").await, "done");
    assert!(!file.exists(), "the file appears in one step");
    cassette.finish().unwrap();
    provider.shutdown().await;
    assert_eq!(files(file.parent().unwrap()), ["run.jsonl"]);
    assert!(!std::fs::read_to_string(&file).unwrap().contains(KEY));
    assert_eq!(tool.count(), 1);

    let start = std::time::Instant::now();
    let cassette = Cassette::open_with(&file, &options(None, false)).unwrap();
    assert!(!cassette.is_recording());
    assert_eq!(answer(&agent(&cassette, &tool).unwrap(), "change it").await, "done");
    cassette.finish().unwrap();
    assert_eq!(tool.count(), 1, "the tool did not run again");
    assert!(start.elapsed().as_millis() < 900, "the replay does not wait as the provider asked");
}

#[tokio::test]
async fn a_session_and_a_single_call_replay_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.jsonl");
    let provider = provider(SCRIPT).await;
    for options in [options(Some(&provider), true), options(None, false)] {
        let cassette = Cassette::open_with(&file, &options).unwrap();
        let tool = Change::new();
        let mut session = agent(&cassette, &tool).unwrap().session();
        assert_eq!(session.send("change it").await.unwrap().into_text().unwrap(), "done");
        assert_eq!(session.send("once more").await.unwrap().into_text().unwrap(), "again");
        let single = cassette.agent("openai", "gpt-5.1").unwrap().build().unwrap();
        // The script has an answer after a tool call only; the provider plays its first turn for another conversation.
        assert!(single.run("hello").await.unwrap().text().is_none_or(|text| !text.is_empty()));
        cassette.finish().unwrap();
    }
}

#[tokio::test]
async fn a_request_that_differs_is_an_error_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    let provider = provider(SCRIPT).await;
    let cassette = Cassette::open_with(&file, &options(Some(&provider), true)).unwrap();
    answer(&agent(&cassette, &Change::new()).unwrap(), "change it").await;
    cassette.finish().unwrap();

    let cassette = Cassette::open_with(&file, &options(None, false)).unwrap();
    agent(&cassette, &Change::new()).unwrap().run("change all").await.unwrap_err();
    let error = cassette.finish().unwrap_err().to_string();
    assert!(
        error.contains(
            r#"request 0 differs at body.messages[0].content: recorded "change it", now "change all""#
        ),
        "{error}"
    );
    assert!(error.contains("WINDLASS_CASSETTE=record"), "{error}");

    let unused = Cassette::open_with(&file, &options(None, false)).unwrap();
    assert!(unused.finish().unwrap_err().to_string().contains("request 0 was never sent"));
}

#[test]
fn a_missing_file_and_key_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    let cassette = Cassette::open_with(&file, &options(None, false)).unwrap();
    let error = cassette.client("openai").unwrap_err().to_string();
    assert!(error.contains("run.jsonl") && error.contains("set OPENAI_API_KEY"), "{error}");
    assert!(cassette.client("opnai").unwrap_err().to_string().contains("unknown vendor opnai"));
    // A local server needs no key.
    cassette.client("ollama").unwrap();
    drop(cassette);
    assert_eq!(files(folder.path()), [""; 0], "a recording that did not end leaves no file");

    let replay = options(None, true).with_mode(CassetteMode::Replay);
    let error = Cassette::open_with(&file, &replay).unwrap_err();
    assert!(matches!(&error, CassetteError::NotRecorded { path } if *path == file), "{error}");
    assert!(error.to_string().contains("WINDLASS_CASSETTE=auto"), "{error}");
}

#[tokio::test]
async fn the_mode_record_replaces_a_file_only_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    std::fs::write(&file, "an old cassette").unwrap();
    let provider = provider(SCRIPT).await;
    let record = options(Some(&provider), true).with_mode(CassetteMode::Record);

    let failed = Cassette::open_with(&file, &record).unwrap();
    answer(&agent(&failed, &Change::new()).unwrap(), "change it").await;
    drop(failed);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "an old cassette");

    let cassette = Cassette::open_with(&file, &record).unwrap();
    answer(&agent(&cassette, &Change::new()).unwrap(), "change it").await;
    cassette.finish().unwrap();
    assert!(std::fs::read_to_string(&file).unwrap().contains("change it"));
    assert_eq!(files(folder.path()), ["run.jsonl"]);
}

#[test]
fn the_variable_selects_the_mode() {
    let folder = tempfile::tempdir().unwrap();
    let open = |mode: &'static str| {
        let options = CassetteOptions::default()
            .with_variables(move |name| (name == CassetteMode::VARIABLE).then(|| mode.to_owned()));
        Cassette::open_with(folder.path().join("run.jsonl"), &options)
    };
    assert!(open("record").unwrap().is_recording());
    assert!(open("").unwrap().is_recording());
    assert!(matches!(open("replay"), Err(CassetteError::NotRecorded { .. })));
    let error = open("recrod").unwrap_err().to_string();
    assert_eq!(error, "the variable WINDLASS_CASSETTE is `recrod`; it can be auto, record or replay");
}
