//! Runs of a durable engine: worker processes, and answers, messages and stops from other processes.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use windlass_mock::ScriptedProvider;
use windlass_testkit::temporal::TemporalServer;
use windlass_testkit::{Need, require};

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "first", "name": "write_file", "arguments": {"path": "one.txt", "content": "1"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// A server, a provider, and a place with its workers. Dropping it ends the workers.
struct Scene {
    place: Place,
    server: TemporalServer,
    provider: ScriptedProvider,
    workers: Vec<Child>,
}

impl Scene {
    async fn new(program: PathBuf, script: &str) -> Self {
        let place = Place::new();
        let server = TemporalServer::start(&program, place.folder.path()).unwrap();
        Self { place, server, provider: provider(script).await, workers: Vec::new() }
    }

    fn start_worker(&mut self, options: &[&str]) {
        let (engine, url) = (self.server.address(), self.provider.base_url());
        let worker = ["worker", "--engine", &engine, "--base-url", &url, "--model", "m"];
        let mut command = self.place.command(&worker);
        // A test reads the metrics that a worker sends at its end.
        command.env("OTEL_METRIC_EXPORT_INTERVAL", "3600000");
        let child = command.args(options).stderr(Stdio::null()).spawn().unwrap();
        self.workers.push(child);
    }

    fn kill_worker(&mut self) {
        let mut worker = self.workers.pop().unwrap();
        worker.kill().unwrap();
        worker.wait().unwrap();
    }

    /// Starts a run in a process of its own, which leaves all questions open and shows the run to its end.
    fn start_run(&self, options: &[&str]) -> Child {
        let run = ["run", "do it", "--engine", &self.server.address(), "--suspend"];
        self.place.command(&run).args(options).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a command for the engine, and returns all that it printed.
    #[track_caller]
    fn call(&self, words: &[&str], code: i32) -> String {
        let engine = self.server.address();
        let mut command = self.place.command(words);
        let output = command.args(["--engine", &engine]).output().unwrap();
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {printed}");
        printed
    }

    /// Waits until a run has an open question, and returns the id of the run.
    fn wait_for_question(&self) -> String {
        let until = Instant::now() + Duration::from_mins(2);
        let engine = self.server.address();
        loop {
            assert!(Instant::now() < until, "no run asks a question");
            let listed = self.place.run(&["approvals", "--engine", &engine, "list", "--json"]);
            let listed = text(&listed.stdout);
            if let Some(line) = listed.lines().find(|line| line.contains("write_file")) {
                let questions: serde_json::Value = serde_json::from_str(line).unwrap();
                return questions["run"].as_str().unwrap().to_owned();
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            drop(worker.kill());
            drop(worker.wait());
        }
    }
}

#[track_caller]
fn check_end(mut run: Child, code: i32) -> String {
    let until = Instant::now() + Duration::from_mins(2);
    while run.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "the run does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = run.wait_with_output().unwrap();
    let printed = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{printed}");
    printed
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_worker_is_killed_is_answered_from_another_process_and_completes() {
    let mut scene = Scene::new(require!(Need::Temporal, TemporalServer::find_program()), SCRIPT).await;
    scene.start_worker(&[]);
    let run = scene.start_run(&[]);
    let id = scene.wait_for_question();
    scene.kill_worker();
    scene.start_worker(&[]);
    let listed = scene.call(&["approvals", "list", &id, "--full"], 0);
    assert!(listed.contains("change of one.txt"), "{listed}");
    scene.call(&["say", &id, "leave the tests alone"], 0);
    scene.call(&["approvals", "approve", &id, "--all"], 0);
    let printed = check_end(run, 0);
    assert!(printed.contains("done") && scene.place.project().join("one.txt").exists(), "{printed}");
    let body = scene.provider.requests().last().unwrap().body.to_string();
    assert!(body.contains("leave the tests alone"), "{body}");
    let again = scene.call(&["run", "--resume", &id], 0);
    assert!(again.contains("done"), "a run that has ended is shown again: {again}");
    scene.call(&["approvals", "approve", &id, "--all"], 1);
}

#[cfg(feature = "otlp")]
#[tokio::test(flavor = "multi_thread")]
async fn worker_step_metrics_are_exported_to_the_collector() {
    use crate::otlp::collector::{Collector, Manner};

    let mut scene = Scene::new(require!(Need::Temporal, TemporalServer::find_program()), SCRIPT).await;
    let collector = Collector::start(Manner::Takes);
    scene.start_worker(&["--otlp", &collector.url(), "--price", "1,2"]);
    let run = scene.start_run(&[]);
    let id = scene.wait_for_question();
    scene.call(&["approvals", "approve", &id, "--all"], 0);
    check_end(run, 0);
    let mut worker = scene.workers.pop().unwrap();
    let told = std::process::Command::new("kill").args(["-INT", &worker.id().to_string()]).status().unwrap();
    assert!(told.success() && worker.wait().unwrap().success());
    let model = ("gen_ai.request.model", "m");
    let count_steps = |kind| {
        let expected = [model, ("windlass.step.kind", kind), ("windlass.step.outcome", "ok")];
        collector.count("windlass.step.duration", &expected)
    };
    assert_eq!(["begin", "model"].map(count_steps), [1, 2]);
    assert!(count_steps("tool") >= 1 && count_steps("decide") >= 1);
    assert_eq!(collector.count("gen_ai.client.operation.duration", &[model]), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_is_stopped_from_another_process() {
    let mut scene = Scene::new(require!(Need::Temporal, TemporalServer::find_program()), SCRIPT).await;
    scene.start_worker(&[]);
    let run = scene.start_run(&[]);
    let id = scene.wait_for_question();
    scene.call(&["stop", &id], 0);
    let printed = check_end(run, 1);
    assert!(!scene.place.project().join("one.txt").exists(), "{printed}");
    let listed = scene.call(&["approvals", "list"], 0);
    assert!(listed.contains("no run has open questions"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_of_a_worker_reach_neither_its_key_nor_its_content_folder() {
    const KEY: &str = "0123456789abcdef0123456789abcdef";
    let script = r#"{"turns": [
        {"steps": [
            {"call": {"name": "read_file", "arguments": {"path": "key"}}},
            {"call": {"name": "list_files", "arguments": {"path": "content"}}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;
    let program = require!(Need::Temporal, TemporalServer::find_program());
    let mut scene = Scene::new(program, script).await;
    std::fs::write(scene.place.project().join("key"), KEY).unwrap();
    std::fs::create_dir(scene.place.project().join("content")).unwrap();
    let private = ["--key-file", "key", "--content", "content"];
    scene.start_worker(&private);
    let printed = check_end(scene.start_run(&private), 0);
    assert!(printed.contains("done"), "{printed}");
    let body = scene.provider.requests().last().unwrap().body.to_string();
    assert!(!body.contains(KEY), "{body}");
    assert_eq!(body.matches("f.own_grants").count(), 2, "{body}");
}
