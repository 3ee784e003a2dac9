//! A gateway on a real port: Windlass's own client sends requests to it, and it forwards them to a scripted provider.

use std::sync::Arc;

use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use windlass_assemble::{Answer, AssembleOptions, Assembler};
use windlass_client::{Client, Endpoint, Options};
use windlass_gateway::{Gateway, ServeOptions, Upstream, serve};
use windlass_mock::{Script, ScriptedProvider};
use windlass_protocol::{
    Delivery, Message, Request, ResultStatus, StopReason, ToolName, ToolResult, ToolSpec,
};
use windlass_stream::{Model, ModelErrorKind};

use crate::formats::{Format, format, formats, pairs};

pub(crate) struct Served {
    pub(crate) provider: ScriptedProvider,
    pub(crate) url: String,
    pub(crate) port: u16,
}

/// Starts a provider that follows a script in one format, and a gateway to it that accepts all formats.
pub(crate) async fn served(script: &str, behind: &Format) -> Served {
    let provider = ScriptedProvider::start(Script::parse(script).unwrap(), 0).await.unwrap();
    let model = client(&provider.base_url(), behind);
    let upstream = Upstream::new(Arc::new(model), behind.wire.clone()).with_name(Some("scripted-1".into()));
    let gateway = formats()
        .into_iter()
        .fold(Gateway::new(upstream), |gateway, format| gateway.with_server(format.server));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(serve(listener, gateway, ServeOptions { body_bytes: 1 << 20, ..ServeOptions::default() }));
    Served { provider, url: format!("http://127.0.0.1:{port}"), port }
}

pub(crate) fn client(url: &str, format: &Format) -> Client {
    let options =
        Options { retries: 0, idle_timeout: std::time::Duration::from_secs(5), ..Options::default() };
    // OpenAI's and Gemini's bases end in their versions, Anthropic's does not.
    let base = match format.name() {
        "anthropic" => url.to_owned(),
        "gemini" => format!("{url}/v1beta"),
        _ => format!("{url}/v1"),
    };
    Client::new(Endpoint::custom(base, format.name()), None, format.wire.clone(), options).unwrap()
}

pub(crate) async fn ask(client: &Client, request: &Request) -> Result<Answer, windlass_stream::ModelError> {
    let mut chunks = client.stream(request).await?;
    let turn = request.messages.len() as u64;
    let (mut assembler, mut events) =
        (Assembler::new(AssembleOptions::default().with_turn(turn)), Vec::new());
    while let Some(chunk) = chunks.next().await {
        assembler.push(chunk?, &mut events);
    }
    Ok(assembler.finish(&mut events))
}

pub(crate) fn tools() -> Vec<ToolSpec> {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    vec![ToolSpec::function(ToolName::new("read").unwrap(), "Reads.", schema.parse().unwrap())]
}

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"reasoning": "Let me see."}, {"text": "I look at both: é🦀."},
               {"call": {"name": "read", "arguments": {"path": "a \"q\" \\ b"}}},
               {"call": {"name": "read", "arguments": {"path": "c"}}}], "piece": 3},
    {"steps": [{"text": "Both are empty."}]}]}"#;

/// Runs two turns with two parallel calls, with a client of one format and a model of another.
async fn two_turns(front: &Format, behind: &Format, delivery: Delivery) {
    let place = format!("{} before {}, {delivery:?}", front.name(), behind.name());
    let served = served(SCRIPT, behind).await;
    let client = client(&served.url, front);
    let mut request =
        Request::new("asked-1", vec![Message::user("look")]).with_tools(tools()).with_delivery(delivery);
    request.system = Some("You are brief.".into());
    request.options.max_output_tokens = Some(512);

    let first = ask(&client, &request).await.unwrap();
    assert_eq!(first.text(), "I look at both: é🦀.", "{place}");
    // Gemini's stop reason does not depend on calls.
    let stop = if front.name() == "gemini" { StopReason::End } else { StopReason::Calls };
    assert_eq!(first.stop, Some(stop), "{place}");
    let calls: Vec<_> = first.good_calls().cloned().collect();
    let arguments: Vec<_> = calls.iter().map(|call| call.payload.text()).collect();
    let paths: Vec<serde_json::Value> =
        arguments.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert_eq!(
        paths,
        [serde_json::json!({"path": "a \"q\" \\ b"}), serde_json::json!({"path": "c"})],
        "{place}"
    );
    assert_ne!(calls[0].id, calls[1].id, "{place}");
    assert!(first.usage.output_tokens > 0, "{place}");

    request.messages.push(first.message().unwrap());
    let results = calls.iter().map(|call| ToolResult::text(call.id.clone(), ResultStatus::Ok, "(empty)"));
    request.messages.push(Message::results(results));
    let second = ask(&client, &request).await.unwrap();
    assert_eq!((second.text().as_str(), second.stop), ("Both are empty.", Some(StopReason::End)), "{place}");

    // The provider refuses unpaired calls, calls without their tools, and empty messages.
    let seen = served.provider.requests();
    assert_eq!(seen.iter().map(|seen| seen.status).collect::<Vec<_>>(), [200, 200], "{place}");
    let last = seen[1].body.to_string();
    for words in ["You are brief.", "(empty)", "I look at both"] {
        assert!(last.contains(words), "{place}: {words:?} is not in {last}");
    }
    served.provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_turns_with_calls_go_through_every_pair_streamed_and_whole() {
    for (front, behind) in pairs() {
        for delivery in [Delivery::Stream, Delivery::Whole] {
            two_turns(&front, &behind, delivery).await;
        }
    }
}

/// One answer over the port, in raw bytes.
async fn raw(port: u16, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let length = body.len();
    let request =
        format!("{head}\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_are_refused_with_a_helpful_message() {
    let chat = format("openai-chat");
    let served = served(SCRIPT, &chat).await;
    let post = "POST /v1/chat/completions HTTP/1.1";
    for (head, body, status, words) in [
        (post, "{", "400", "not JSON"),
        (post, r#"{"model": 7}"#, "400", "model: expected a text"),
        (
            "POST /nowhere HTTP/1.1",
            "{}",
            "404",
            "/nowhere is not a served path; the formats here are openai-chat",
        ),
        ("GET /v1/chat/completions HTTP/1.1", "", "405", "requests to models are POST"),
        ("POST /v1/chat/completions HTTP/1.1\r\norigin: https://evil.example", "{}", "403", "web pages"),
    ] {
        let answer = raw(served.port, head, body).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{head}: {answer}");
        assert!(answer.contains(words), "{answer}");
    }
    let long = format!(r#"{{"model":"{}"}}"#, "m".repeat(1 << 20));
    let answer = raw(served.port, post, &long).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(served.provider.requests().is_empty());
    served.provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn losses_of_a_conversion_are_reported_in_a_header() {
    let anthropic = format("anthropic");
    let served = served(SCRIPT, &anthropic).await;
    let body = r#"{"model":"m","user":"ann","messages":[{"role":"user","content":"hi"}]}"#;
    let answer = raw(served.port, "POST /v1/chat/completions HTTP/1.1", body).await;
    assert!(answer.contains("x-windlass-lost: user"), "{answer}");
    served.provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_reports_an_unreachable_provider() {
    let chat = format("openai-chat");
    let served = served(SCRIPT, &chat).await;
    let (url, provider) = (served.url, served.provider);
    provider.shutdown().await;
    for front in formats() {
        let request = Request::new("m", vec![Message::user("hi")]);
        let error = ask(&client(&url, &front), &request).await.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Server, "{}: {error}", front.name());
        assert!(error.to_string().contains("cannot be reached"), "{error}");
    }
}

/// Serves a gateway for any model on a port, until the signal to stop.
async fn served_until(
    model: impl Model + 'static,
    options: ServeOptions,
) -> (u16, tokio::sync::oneshot::Sender<()>, tokio::task::JoinHandle<std::io::Result<()>>) {
    let upstream = Upstream::new(Arc::new(model), format("openai-chat").wire);
    let gateway = formats()
        .into_iter()
        .fold(Gateway::new(upstream), |gateway, format| gateway.with_server(format.server));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let stopped = async move { drop(stopped.await) };
    (port, stop, tokio::spawn(windlass_gateway::serve_until(listener, gateway, options, stopped)))
}

/// A model that sends one word, and continues as its variant describes.
enum Begun {
    /// Gives no answer at all.
    Never,
    Ends,
    Hangs,
    /// Ends properly, a while later.
    Finishes,
}

impl Model for Begun {
    fn stream<'a>(&'a self, _: &'a Request) -> windlass_stream::ModelFuture<'a> {
        use windlass_stream::Chunk;
        let first = futures_util::stream::iter([Ok(Chunk::text("half"))]);
        let finish = || Chunk::Finish { reason: StopReason::End, raw: "stop".into() };
        Box::pin(async move {
            Ok(match self {
                Self::Never => return std::future::pending().await,
                Self::Ends => Box::pin(first) as windlass_stream::ChunkStream,
                Self::Hangs => Box::pin(first.chain(futures_util::stream::pending())),
                Self::Finishes => Box::pin(first.chain(futures_util::stream::once(async move {
                    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                    Ok(finish())
                }))),
            })
        })
    }
}

/// The body of a streamed answer in a format, as text, to its end.
async fn streamed(port: u16, format: &Format) -> String {
    let mut request = Request::new("m", vec![Message::user("go")]).with_delivery(Delivery::Stream);
    request.options.max_output_tokens = Some(64);
    let sent = format.wire.encode(&request).unwrap();
    let path = match format.name() {
        "gemini" => format!("/v1beta{}", sent.path),
        "anthropic" => sent.path.clone(),
        _ => format!("/v1{}", sent.path),
    };
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!("POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n", sent.body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&sent.body).await.unwrap();
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    loop {
        let len = stream.read(&mut bytes).await.unwrap();
        text.push_str(&String::from_utf8_lossy(&bytes[..len]));
        if len == 0 || text.ends_with("\r\n0\r\n\r\n") {
            return text;
        }
    }
}

// command-line B20
#[tokio::test]
async fn an_answer_without_its_end_ends_with_an_error_in_the_clients_format() {
    for format in formats() {
        let (port, _stop, _) = served_until(Begun::Ends, ServeOptions::default()).await;
        let text = streamed(port, &format).await;
        assert!(
            text.contains("half") && text.contains("ended before it was complete"),
            "{}: {text}",
            format.name()
        );
        assert!(text.ends_with("\r\n0\r\n\r\n"), "{}: the body is whole", format.name());
    }
}

// command-line B20
#[tokio::test]
async fn a_stopping_server_drains_answers_and_ends_slow_ones_with_an_error() {
    for format in formats() {
        for (model, words) in [(Begun::Finishes, None), (Begun::Hangs, Some("the server shuts down"))] {
            let drain = match words {
                None => std::time::Duration::from_secs(20),
                Some(_) => std::time::Duration::from_millis(100),
            };
            let (port, stop, server) =
                served_until(model, ServeOptions { drain, ..ServeOptions::default() }).await;
            let from = format.clone();
            let asked = tokio::spawn(async move { streamed(port, &from).await });
            // Wait until the model has received the request and has not answered yet.
            tokio::time::sleep(std::time::Duration::from_millis(150)).await;
            stop.send(()).unwrap();
            let text = asked.await.unwrap();
            assert_eq!(text.contains("the server shuts down"), words.is_some(), "{}: {text}", format.name());
            server.await.unwrap().unwrap();
            assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "the port is closed");
        }
    }
}

// Status 502 would mean that the upstream provider failed.
#[tokio::test]
async fn a_request_without_an_answer_at_shutdown_gets_503() {
    for format in formats() {
        let drain = std::time::Duration::from_millis(100);
        let (port, stop, server) =
            served_until(Begun::Never, ServeOptions { drain, ..ServeOptions::default() }).await;
        let from = format.clone();
        let asked = tokio::spawn(async move { streamed(port, &from).await });
        // Long enough for the request to arrive.
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        stop.send(()).unwrap();
        let text = asked.await.unwrap();
        assert!(text.starts_with("HTTP/1.1 503"), "{}: {text}", format.name());
        assert!(text.contains("the server shuts down"), "{}: {text}", format.name());
        server.await.unwrap().unwrap();
    }
}

// correctness 16
#[tokio::test]
async fn a_body_that_never_ends_gives_its_place_back() {
    let body_timeout = std::time::Duration::from_millis(200);
    let options = ServeOptions { connections: 2, body_timeout, ..ServeOptions::default() };
    let (port, _stop, _) = served_until(Begun::Finishes, options).await;
    let mut halves = Vec::new();
    for _ in 0..2 {
        let mut half = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        half.write_all(b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 99\r\n\r\n{")
            .await
            .unwrap();
        halves.push(half);
    }
    let format = format("openai-chat");
    let asked = streamed(port, &format);
    let text = tokio::time::timeout(std::time::Duration::from_secs(10), asked).await.unwrap();
    assert!(text.contains("half"), "{text}");
    let mut refusal = String::new();
    halves[0].read_to_string(&mut refusal).await.unwrap();
    assert!(refusal.starts_with("HTTP/1.1 408"), "{refusal}");
}
