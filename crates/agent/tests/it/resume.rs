//! Runs that resume from a record that was cut at any place.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use windlass_agent::{Agent, AgentError, ApproveAll, RunOptions};
use windlass_journal::{Durability, Journal, MemoryJournal, Record};
use windlass_tool::Tool;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_tools_control::AttemptCompletion;

use crate::scene::{Scene, Shared, way, ways};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "look", "arguments": {"n": 1}}}, {"call": {"name": "change", "arguments": {"n": 1}}}]},
    {"steps": [{"call": {"name": "change", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

async fn record(scene: &Scene) -> Vec<Record> {
    let journal = Shared::default();
    let agent = scene.builder().approver(ApproveAll).build().unwrap();
    let options = RunOptions::default().with_journal(journal.clone());
    agent.stream_with("task", options).report().await.unwrap();
    journal.records().unwrap()
}

fn cut(records: &[Record]) -> MemoryJournal {
    let mut journal = MemoryJournal::default();
    for record in records {
        journal.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
    }
    journal
}

fn agent(scene: &Scene) -> Agent {
    scene.builder().approver(ApproveAll).build().unwrap()
}

// R5, R6: the scripted model refuses a history that is not paired, as a provider would.
#[tokio::test]
async fn a_run_killed_after_any_record_resumes_and_no_recorded_call_runs_twice() {
    for way in ways() {
        let records = record(&Scene::new(SCRIPT, way.clone())).await;
        let has =
            |record: &Record, entry: &str| record.body.as_str().contains(&format!(r#""entry":"{entry}""#));
        let last = records.len() - 1;
        for at in 1..=last {
            let scene = Scene::new(SCRIPT, way.clone());
            let options = RunOptions::default().with_journal(cut(&records[..at]));
            let report = agent(&scene).resume(options).unwrap().report().await.unwrap();
            assert_eq!(report.text(), Some("done"), "cut at {at}");
            let begun = records[..at].iter().filter(|record| has(record, "intent")).count();
            let ended = records[..at].iter().filter(|record| has(record, "result")).count();
            let runs = scene.read.calls.load(Ordering::SeqCst) + scene.write.calls.load(Ordering::SeqCst);
            // Three calls of counting tools, and the completion; a call that had ended never runs again.
            assert!(
                runs <= 3_usize.saturating_sub(ended.min(3)),
                "cut at {at}: {runs} runs, {ended} had ended"
            );
            assert!(runs + begun >= 3, "cut at {at}: nothing is lost");
        }
    }
}

#[tokio::test]
async fn a_completed_run_cannot_be_resumed() {
    let way = way();
    let scene = Scene::new(SCRIPT, way);
    let records = record(&scene).await;
    let error = agent(&scene).resume(RunOptions::default().with_journal(cut(&records))).unwrap_err();
    assert!(matches!(error, AgentError::Resume(_)));
}

// Correctness 21: what only reads runs again after a crash, by whatever name the model called it.
#[tokio::test]
async fn a_reading_call_by_an_alias_runs_again_after_a_crash() {
    for name in ["look", "list_dir", "Look"] {
        let script = format!(
            r#"{{"turns": [{{"steps": [{{"call": {{"name": "{name}"}}}}]}},
                {{"steps": [{{"call": {{"name": "attempt_completion", "arguments": {{"result": "done"}}}}}}]}}]}}"#
        );
        let toolbox = |scene: &Scene| {
            let tools: [Arc<dyn Tool>; 3] =
                [scene.read.clone(), scene.write.clone(), Arc::new(AttemptCompletion::default())];
            let builder = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full));
            builder.alias("list_dir", "look").build().unwrap()
        };
        let agent =
            |scene: &Scene| scene.builder().toolbox(toolbox(scene)).approver(ApproveAll).build().unwrap();
        let journal = Shared::default();
        let options = RunOptions::default().with_journal(journal.clone());
        drop(agent(&Scene::new(&script, way())).stream_with("task", options).report().await.unwrap());
        let records = journal.records().unwrap();
        let is_intent = |record: &Record| record.body.as_str().contains(r#""entry":"intent""#);
        let begun = records.iter().position(is_intent).unwrap();
        let scene = Scene::new(&script, way());
        let after = Shared::default();
        for record in &records[..=begun] {
            after.clone().append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
        }
        let options = RunOptions::default().with_journal(after.clone());
        let report = agent(&scene).resume(options).unwrap().report().await.unwrap();
        assert_eq!(report.text(), Some("done"), "{name}");
        assert_eq!(scene.read.calls.load(Ordering::SeqCst), 1, "{name}");
        let is_unknown = |record: &Record| record.body.as_str().contains("effects_unknown");
        assert!(!after.records().unwrap().iter().any(is_unknown), "{name}");
    }
}
