//! The spans of a gateway's requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::collector::{Collector, Manner};
use crate::program::{Place, provider};

const SCRIPT: &str =
    r#"{"turns": [{"steps": [{"text": "planted-word"}], "usage": {"input": 10, "output": 5}}]}"#;
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

#[tokio::test(flavor = "multi_thread")]
async fn a_request_to_the_gateway_is_a_span_between_the_clients_and_the_upstreams() {
    let (place, provider, collector) =
        (Place::new(), provider(SCRIPT).await, Collector::start(Manner::Takes));
    let base = format!("{}/v1", provider.base_url());
    let arguments =
        ["proxy", "--base-url", &base, "--listen", "127.0.0.1:0", "--json", "--otlp", &collector.url()];
    let mut child = place.command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let address = told["base_url"].as_str().unwrap().strip_prefix("http://").unwrap();
    let send = |body: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        let parent = format!("traceparent: 00-{TRACE}-b7ad6b7169203331-01");
        let length = body.len();
        write!(
            stream,
            "POST /v1/chat/completions HTTP/1.0\r\n{parent}\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(
        send(r#"{"model":"scripted-1","messages":[{"role":"user","content":"hi"}]}"#)
            .contains("planted-word")
    );
    assert!(send("{}").starts_with("HTTP/1.0 400"));
    let signal = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(signal.success() && child.wait().unwrap().success());

    let (spans, _) = collector.spans();
    assert_eq!(spans.len(), 2, "{spans:?}");
    let span = spans.iter().find(|span| span.name == "chat scripted-1").unwrap();
    let hex = |bytes: &[u8]| {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.concat()
    };
    assert_eq!((hex(&span.trace).as_str(), hex(&span.parent).as_str()), (TRACE, "b7ad6b7169203331"));
    span.has(&[
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.request.model", "scripted-1"),
        ("gen_ai.usage.input_tokens", "10"),
        ("gen_ai.usage.output_tokens", "5"),
        ("http.response.status_code", "200"),
    ]);
    let upstream = &provider.requests()[0];
    let parent = format!("00-{TRACE}-{}-01", hex(&span.id));
    assert!(format!("{upstream:?}").contains(&parent), "{upstream:?}");
    let refused = spans.iter().find(|span| span.name != "chat scripted-1").unwrap();
    refused.has(&[("error.type", "400"), ("http.response.status_code", "400")]);
    assert!(!format!("{spans:?}").contains("planted-word"), "{spans:?}");
    provider.shutdown().await;
}

/// A script with a failed attempt and a successful one.
const REPEATED: &str = r#"{"turns": [
    {"steps": [{"text": "hello"}], "hostile": {"switch": "status", "status": 503, "times": 1}}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn each_repeat_that_a_client_permits_is_a_span_with_a_link_to_the_send_before() {
    let (place, provider, collector) =
        (Place::new(), provider(REPEATED).await, Collector::start(Manner::Takes));
    let (base, collector_url) = (provider.base_url(), collector.url());
    let arguments = [
        &["proxy", "--base-url", &base, "--wire", "anthropic", "--model", "scripted-1"][..],
        &["--listen", "127.0.0.1:0", "--json", "--otlp", &collector_url],
    ];
    let mut child = place.command(&arguments.concat()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let mut stream =
        TcpStream::connect(told["base_url"].as_str().unwrap().strip_prefix("http://").unwrap()).unwrap();
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
    let length = body.len();
    let head = "POST /v1/chat/completions HTTP/1.0\r\nx-windlass-attempts: 2\r\n";
    write!(stream, "{head}content-length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("hello"), "{answer}");
    let signal = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(signal.success() && child.wait().unwrap().success());

    let (spans, _) = collector.spans();
    let request = spans.iter().find(|span| span.name.starts_with("chat ")).unwrap();
    let mut sends: Vec<_> = spans.iter().filter(|span| span.name.starts_with("send ")).collect();
    sends.sort_by_key(|span| span.times[0]);
    assert_eq!((spans.len(), sends.len()), (3, 2), "{spans:?}");
    sends[0].has(&[("http.request.resend_count", "0"), ("error.type", "repeated")]);
    sends[1].has(&[("http.request.resend_count", "1"), ("http.response.status_code", "200")]);
    assert_eq!((sends[0].links.len(), &sends[1].links), (0, &vec![sends[0].id.clone()]));
    for send in &sends {
        assert_eq!((&send.trace, &send.parent), (&request.trace, &request.id), "{spans:?}");
        assert!(send.times[0] <= send.times[1], "{send:?}");
    }
    // The wait between the two attempts is in neither span.
    assert!(sends[0].times[1] <= sends[1].times[0], "{spans:?}");
    provider.shutdown().await;
}
