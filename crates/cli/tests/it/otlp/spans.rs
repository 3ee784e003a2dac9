//! The spans of runs at a collector, which cannot stop a run.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use windlass_mock::ScriptedProvider;

use super::collector::{Collector, Manner, Span};
use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "read_file", "arguments": {"path": "a.txt"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it says planted-word"}}}]}]}"#;

fn command(place: &Place, provider: &ScriptedProvider, more: &[&str]) -> Command {
    let url = provider.base_url();
    let words = ["run", "task planted-word", "--base-url", &url, "--model", "m-1", "--yes"];
    let mut command = place.command(&[&words, more].concat());
    command.env("SOME_TOKEN", "planted-secret-0001");
    command
}

#[track_caller]
fn completed(output: &Output) -> String {
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{told}");
    told
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let found = spans.iter().find(|span| span.name == name);
    assert!(found.is_some(), "no span {name}: {spans:?}");
    found.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_exported_as_one_trace() {
    let (place, provider, collector) =
        (Place::new(), provider(SCRIPT).await, Collector::start(Manner::Takes));
    std::fs::write(place.project().join("a.txt"), "planted-word\n").unwrap();
    let mut run = command(&place, &provider, &["--otlp", &collector.url()]);
    let told = completed(&run.env("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=planted-tenant").output().unwrap());
    assert!(!told.contains("warning: spans"), "{told}");
    let (spans, resource) = collector.spans();
    assert_eq!((resource["service.name"].as_str(), resource.get("host.name")), ("windlass", None));
    let run = named(&spans, "invoke_agent windlass");
    let id = place.run_id();
    run.has(&[
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.conversation.id", &id),
        ("gen_ai.provider.name", "openai"),
        ("windlass.outcome", "completed"),
        ("windlass.turns", "2"),
    ]);
    assert!(run.parent.is_empty() && run.trace.len() == 16);
    let chat = named(&spans, "chat m-1");
    chat.has(&[("gen_ai.request.model", "m-1"), ("gen_ai.response.finish_reasons", "[tool_call]")]);
    let tool = named(&spans, "execute_tool read_file");
    tool.has(&[("gen_ai.tool.type", "function"), ("windlass.decision", "allow"), ("windlass.status", "ok")]);
    // CLIENT and INTERNAL.
    assert_eq!((run.kind, chat.kind, tool.kind), (1, 3, 1));
    for span in &spans {
        assert!(span.times[0] > 0 && span.times[0] <= span.times[1], "{span:?}");
        assert_eq!((&span.trace, span.status), (&run.trace, 0), "{span:?}");
        assert!(span.id == run.id || span.parent == run.id, "{span:?}");
        assert!(
            span.attributes.keys().all(|name| name.starts_with("gen_ai.") || name.starts_with("windlass."))
        );
    }
    // A chat for each turn, and the two calls.
    assert_eq!(spans.len(), 5, "{spans:?}");
    let sent = collector.requests();
    assert!(sent[0].0.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{}", sent[0].0);
    assert!(sent[0].0.contains("content-type: application/x-protobuf\r\n"), "{}", sent[0].0);
    assert!(sent[0].0.contains("x-tenant: planted-tenant\r\n"), "{}", sent[0].0);
    assert!(sent.iter().all(|(_, body)| !String::from_utf8_lossy(body).contains("planted")));
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_contain_content_only_if_enabled_and_never_secrets() {
    let (place, provider, collector) =
        (Place::new(), provider(SCRIPT).await, Collector::start(Manner::Takes));
    std::fs::write(place.project().join("a.txt"), "planted-word planted-secret-0001\n").unwrap();
    let mut run = command(&place, &provider, &["--otlp-content"]);
    // The endpoint in the environment is a base URL; the option is used unchanged.
    run.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:1")
        .env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", format!("{}/elsewhere", collector.url()))
        .env("OTEL_SERVICE_NAME", "mine");
    completed(&run.output().unwrap());
    let (spans, resource) = collector.spans();
    assert_eq!(resource["service.name"], "mine");
    let tool = named(&spans, "execute_tool read_file");
    tool.has(&[("gen_ai.tool.call.arguments", r#"{"path": "a.txt"}"#)]);
    assert!(tool.attributes["gen_ai.tool.call.result"].contains("planted-word"), "{tool:?}");
    let sent = collector.requests();
    assert!(sent[0].0.starts_with("POST /elsewhere "), "{}", sent[0].0);
    assert!(sent.iter().all(|(_, body)| !String::from_utf8_lossy(body).contains("planted-secret")));
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_collector_can_stop_a_run() {
    let absent = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (refuses, silent) = (Collector::start(Manner::Refuses), Collector::start(Manner::NeverAnswers));
    for (url, said) in [
        (format!("http://{absent}"), "warning: spans were not accepted by"),
        ("ftp://localhost".to_owned(), "warning: spans were not accepted by"),
        (refuses.url(), "it answered 403"),
        (silent.url(), "no response arrived in time"),
    ] {
        let (place, provider) = (Place::new(), provider(SCRIPT).await);
        let begin = Instant::now();
        let told = completed(&command(&place, &provider, &["--otlp", &url]).output().unwrap());
        assert!(told.contains(said), "{told}");
        assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
        provider.shutdown().await;
    }
    // An invalid option is an error. An invalid variable, which can be meant for other programs, is a warning.
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let output = command(&place, &provider, &["--otlp", "not a url"]).output().unwrap();
    assert!(!output.status.success() && text(&output.stderr).contains("spans cannot be sent to not a url"));
    let mut run = command(&place, &provider, &[]);
    let told = completed(&run.env("OTEL_EXPORTER_OTLP_ENDPOINT", "not a url").output().unwrap());
    assert!(
        told.contains("warning: no spans and metrics are sent: spans cannot be sent to not a url"),
        "{told}"
    );
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn switched_off_nothing_is_gathered() {
    let collector = Collector::start(Manner::Takes);
    for (name, value) in [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none")] {
        let (place, provider) = (Place::new(), provider(SCRIPT).await);
        let mut run = command(&place, &provider, &[]);
        completed(
            &run.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()).env(name, value).output().unwrap(),
        );
        provider.shutdown().await;
    }
    assert_eq!(collector.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_exports_its_spans() {
    let script = r#"{"turns": [{"steps": [{"text": "I begin."}], "hostile": {"switch": "stall"}}]}"#;
    let (place, provider) = (Place::new(), provider(script).await);
    let collector = Collector::start(Manner::Takes);
    let mut run = command(&place, &provider, &["--otlp", &collector.url(), "--json"]);
    let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut told = String::new();
    while !told.contains("turn_started") {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        told.push(char::from(byte[0]));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    drop(stdout.read_to_string(&mut told));
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(130));
    let (spans, _) = collector.spans();
    let run = named(&spans, "invoke_agent windlass");
    run.has(&[("windlass.outcome", "stopped"), ("error.type", "cancelled")]);
    named(&spans, "chat m-1").has(&[("error.type", "cancelled")]);
    // ERROR.
    assert!(spans.iter().all(|span| span.status == 2), "{spans:?}");
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_metrics_are_exported_to_the_collector() {
    let (place, provider, collector) =
        (Place::new(), provider(SCRIPT).await, Collector::start(Manner::Takes));
    std::fs::write(place.project().join("a.txt"), "planted-word\n").unwrap();
    let url = collector.url();
    let output = command(&place, &provider, &["--otlp", &url, "--price", "1,2"]).output().unwrap();
    let told = completed(&output);
    assert!(!told.contains("warning"), "{told}");
    let model = ("gen_ai.request.model", "m-1");
    assert_eq!(collector.count("windlass.runs", &[model, ("windlass.outcome", "completed")]), 1);
    assert_eq!(collector.count("windlass.step.duration", &[model, ("windlass.step.kind", "model")]), 2);
    assert!(collector.count("windlass.step.duration", &[("windlass.step.kind", "tool")]) >= 1);
    assert!(collector.count("windlass.decisions", &[("windlass.decision", "allow")]) >= 1);
    assert_eq!(collector.count("gen_ai.client.operation.duration", &[model]), 2);
    let sent: String = collector
        .metric_requests()
        .iter()
        .map(|(head, body)| head.clone() + &String::from_utf8_lossy(body))
        .collect();
    assert!(!sent.contains("planted"), "metrics contain neither tasks nor results nor secrets");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_of_spans_only_gets_no_metrics() {
    let (place, provider, collector) =
        (Place::new(), provider(SCRIPT).await, Collector::start(Manner::Takes));
    std::fs::write(place.project().join("a.txt"), "planted-word\n").unwrap();
    let mut run = command(&place, &provider, &[]);
    run.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()).env("OTEL_METRICS_EXPORTER", "none");
    completed(&run.output().unwrap());
    assert!(!collector.requests().is_empty());
    assert_eq!(collector.metric_requests().len(), 0);
}
