//! Keys, models, rates and budgets against clients that try to pass them: with requests at the same time, with headers and
//! with bodies that two readers understand in two ways (issue 24, "Must be shown" 5).

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::join_all;
use futures_util::stream;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use windlass_client::{Client, Endpoint, Transport, TransportFuture, TransportRequest, TransportResponse};
use windlass_gateway::{
    ClientKeys, ClientLimits, Front, FrontHandle, Gateway, RequestLine, RequestLog, Upstream,
};

use crate::formats::{Format, format, formats};
use crate::front::start;

/// The budget of each client in tokens of a day.
const BUDGET: u64 = 20_000;
/// The requests of each client in a minute.
const RATE: u64 = 5;

/// A provider that generates as many tokens as a request permits, and that takes numbers in each form.
#[derive(Clone, Default)]
struct Greedy(Arc<Mutex<Bill>>);

#[derive(Default)]
struct Bill {
    requests: u64,
    tokens: u64,
    models: Vec<String>,
    /// The parts of requests in which a client's key must not be.
    text: String,
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => {
            number.as_u64().or_else(|| number.as_f64()?.max(0.0).ceil().to_string().parse().ok())
        }
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

impl Transport for Greedy {
    fn send(&self, request: TransportRequest) -> TransportFuture<'_> {
        // Parse like a provider that uses the last of two equal fields.
        let text = request.body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&request.body);
        let body: Value = serde_json::from_slice(text).unwrap_or_default();
        let maxima = ["max_tokens", "max_completion_tokens"].map(|name| number(&body[name]));
        let maximum = maxima.into_iter().flatten().max().unwrap_or(50);
        let count = number(&body["n"]).unwrap_or(1).max(1);
        let path = request.url.split('?').next().unwrap_or_default();
        let is_embedding = path.ends_with("/embeddings");
        let output = if is_embedding { 0 } else { maximum.saturating_mul(count).min(100_000) };
        let input = 1;
        let mut bill = self.0.lock().unwrap();
        bill.requests += 1;
        bill.tokens += input + output;
        bill.models.push(body["model"].as_str().unwrap_or("none").to_owned());
        write!(bill.text, "{request:?} {body}").unwrap();
        let usage = format!(
            r#"{{"prompt_tokens":{input},"completion_tokens":{output},"total_tokens":{}}}"#,
            input + output
        );
        let (kind, text) = if body["stream"] == true {
            let event = |content: &str, stop: &str, usage: &str| {
                format!(
                    "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{content}\"}},\"finish_reason\":{stop}}}]{usage}}}\n\n"
                )
            };
            let end = event("", "\"stop\"", &format!(",\"usage\":{usage}"));
            ("text/event-stream", format!("{}{end}data: [DONE]\n\n", event("hi", "null", "")))
        } else if is_embedding {
            let text = format!(r#"{{"object":"list","data":[],"model":"m","usage":{usage}}}"#);
            ("application/json", text)
        } else {
            let text = format!(
                r#"{{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":"hi"}},"finish_reason":"stop"}}],"usage":{usage}}}"#
            );
            ("application/json", text)
        };
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        let response = TransportResponse::new(200, headers, Box::pin(stream::iter([Ok(Bytes::from(text))])));
        Box::pin(async { Ok(response) })
    }
}

/// A request of an attacker. The key of a client replaces `KEY`.
#[derive(Clone, Debug)]
struct Attempt {
    /// The number of the client whose key replaces `KEY`.
    client: usize,
    query: &'static str,
    headers: Vec<&'static str>,
    path: &'static str,
    body: String,
    is_packed: bool,
    /// The client closes the connection without reading the answer.
    is_cut: bool,
}

const KEY_HEADERS: [&str; 9] = [
    "authorization: Bearer KEY",
    "authorization: bearer  KEY ",
    "Authorization: Basic KEY",
    "authorization: KEY",
    "x-api-key: KEY",
    "X-Goog-Api-Key: KEY",
    "x-api-key: wlk-0000",
    "authorization: Bearer wlk-0000",
    "authorization: Bearer",
];

const OTHER_HEADERS: [&str; 9] = [
    "x-windlass-attempts: 99",
    "x-http-method-override: GET",
    "x-original-url: /health",
    "x-forwarded-for: 127.0.0.1",
    "x-windlass-owner: other",
    "cache-control: no-store",
    "openai-organization: other",
    "idempotency-key: 1",
    "cookie: key=KEY",
];

/// Fields in each of which a provider and a gateway could read another number.
const FIELDS: [&str; 16] = [
    r#""max_tokens":300"#,
    r#""max_tokens":9000"#,
    r#""max_tokens":1,"max_tokens":9000"#,
    r#""max_tokens":1,"max_completion_tokens":9000"#,
    r#""max_tokens":9e3"#,
    r#""max_tokens":"9000""#,
    r#""max_tokens":-1"#,
    r#""max_tokens":null"#,
    r#""max_output_tokens":1,"max_tokens":9000"#,
    r#""generationConfig":{"maxOutputTokens":1},"max_tokens":9000"#,
    r#""max_tokens":1000,"n":9"#,
    r#""max_tokens":1000,"n":"9""#,
    r#""max_tokens":1000,"n":1,"n":9"#,
    r#""max_tokens":1e30"#,
    r#""max\u005ftokens":9000"#,
    r#""stream":true,"max_tokens":500"#,
];

const MODELS: [&str; 8] = [
    r#""model":"m""#,
    r#""model":"m""#,
    r#""model":"other""#,
    r#""model":"m","model":"other""#,
    r#""model":"other","model":"m""#,
    r#""mod\u0065l":"other","model":"m""#,
    r#""Model":"other","model":"m""#,
    r#""model":"KEY""#,
];

const PATHS: [(&str, &str); 8] = [
    ("/v1/chat/completions", r#""messages":[{"role":"user","content":"x"}]"#),
    ("/v1/chat/completions", r#""messages":[{"role":"user","content":"x"}]"#),
    ("//v1/chat/completions", r#""messages":[{"role":"user","content":"x"}]"#),
    ("/v1/../v1/chat/completions", r#""messages":[{"role":"user","content":"x"}]"#),
    ("/v1/messages", r#""messages":[{"role":"user","content":"x"}]"#),
    ("/v1/responses", r#""input":"x""#),
    ("/v1beta/models/m:generateContent", r#""contents":[{"parts":[{"text":"x"}]}]"#),
    ("/v1/embeddings", r#""input":"x""#),
];

fn attempt() -> impl Strategy<Value = Attempt> {
    let key_headers = vec(select(&KEY_HEADERS[..]), 0..3);
    let queries = select(vec!["", "", "?key=KEY", "?key=wlk-0&key=KEY", "?KEY", "?alt=sse&key=KEY"]);
    let bodies = (select(&PATHS[..]), select(&MODELS[..]), select(&FIELDS[..]), any::<bool>());
    (0..2_usize, queries, key_headers, vec(select(&OTHER_HEADERS[..]), 0..3), bodies, any::<[bool; 2]>())
        .prop_map(
            |(
                client,
                query,
                mut headers,
                others,
                ((path, content), model, fields, has_mark),
                [is_packed, is_cut],
            )| {
                headers.extend(others);
                let mark = if has_mark { "\u{feff}" } else { "" };
                let body = format!("{mark}{{{model},{content},{fields}}}");
                Attempt { client, query, headers, path, body, is_packed, is_cut }
            },
        )
}

impl Attempt {
    /// Sends the request. Returns the status, and the whole answer.
    async fn send(&self, port: u16, keys: &[String]) -> (u16, String) {
        let key = &keys[self.client];
        let body = self.body.replace("KEY", key).into_bytes();
        let (body, encoding) = if self.is_packed {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&body).unwrap();
            (encoder.finish().unwrap(), "content-encoding: gzip\r\n")
        } else {
            (body, "")
        };
        let headers = self.headers.iter().map(|header| format!("{header}\r\n")).collect::<Vec<_>>().concat();
        let head = format!(
            "POST {}{} HTTP/1.0\r\nhost: x\r\n{headers}{encoding}content-length: {}\r\n\r\n",
            self.path,
            self.query,
            body.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.write_all(head.replace("KEY", key).as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
        if self.is_cut {
            return (0, String::new());
        }
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, answer)
    }
}

#[derive(Default)]
struct Lines(Mutex<String>);

impl RequestLog for Lines {
    fn log(&self, line: &RequestLine) {
        self.0.lock().unwrap().push_str(&serde_json::to_string(line).unwrap());
    }
}

/// The attacked server, which can be started again.
struct Target {
    provider: Greedy,
    keys: ClientKeys,
    secrets: [String; 2],
    lines: Arc<Lines>,
    folder: TempDir,
}

impl Target {
    fn new() -> Self {
        let mut keys = ClientKeys::default();
        let secrets = ["ann", "bob"].map(|name| {
            let key = keys.create(name, ["m"]).unwrap();
            let limits = ClientLimits { tokens_per_day: Some(BUDGET), ..ClientLimits::default() };
            keys.set_limits(name, ClientLimits { requests_per_minute: Some(RATE), ..limits });
            key
        });
        let folder = tempfile::tempdir().unwrap();
        Self { provider: Greedy::default(), keys, secrets, lines: Arc::default(), folder }
    }

    fn front(&self) -> Front {
        let endpoint = Endpoint::custom("http://upstream.example/v1", "openai-chat");
        let builder = Client::builder(endpoint, format("openai-chat").wire.clone());
        let client =
            builder.key(Some("sk-upstream".into())).transport(self.provider.clone()).build().unwrap();
        let gateway = Gateway::new(Upstream::from_client(client));
        let add = |gateway: Gateway, format: Format| gateway.with_server(format.server);
        let gateway = formats().into_iter().fold(gateway, add);
        let front = Front::new(gateway).with_client_keys(self.keys.clone()).with_log(self.lines.clone());
        front.keep_usage(self.folder.path().join("usage.jsonl")).unwrap();
        front
    }

    /// Sends all attempts at the same time to a new server.
    async fn attack(&self, attempts: &[Attempt]) {
        let front = FrontHandle::from(self.front());
        let port = start((*front.current()).clone()).await;
        let answers = join_all(attempts.iter().map(|attempt| attempt.send(port, &self.secrets))).await;
        // Requests of closed connections end, too.
        assert_eq!(plain(vec![], "{}").send(port, &self.secrets).await.0, 401);
        for (attempt, (status, answer)) in attempts.iter().zip(&answers) {
            let has_key =
                attempt.query.contains("KEY") || attempt.headers.iter().any(|header| header.contains("KEY"));
            assert!(has_key || *status != 200, "{attempt:?}");
            assert!(!answer.contains("sk-upstream"), "{attempt:?}: {answer}");
        }
        self.check_records(&front.current(), attempts);
    }

    /// Checks that nothing that an operator reads contains a key, and that no budget is passed.
    #[expect(clippy::disallowed_methods, reason = "the test looks at the file of the budgets")]
    fn check_records(&self, front: &Front, attempts: &[Attempt]) {
        let usage = front.usage();
        let lines = self.lines.0.lock().unwrap();
        let file = std::fs::read_to_string(self.folder.path().join("usage.jsonl")).unwrap();
        let records = format!("{} {front:?} {lines} {usage:?} {file}", front.to_prometheus());
        let sent = &self.provider.0.lock().unwrap().text;
        for key in &self.secrets {
            let has_key = records.contains(key.as_str()) || sent.contains(key.as_str());
            assert!(!has_key, "{attempts:#?}: {records} {sent}");
        }
        assert!(!records.contains("sk-upstream"), "{records}");
        for usage in usage {
            assert!(usage.day_tokens <= BUDGET, "{usage:?} of {attempts:#?}");
        }
    }
}

/// Attacks a server, which is started again before each list of attempts but the first. The end of its runtime breaks off
/// the requests that it still answers.
fn check(starts: &[Vec<Attempt>]) {
    let target = Target::new();
    for attempts in starts {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.unwrap().block_on(target.attack(attempts));
    }
    let bill = target.provider.0.lock().unwrap();
    let rate = RATE * starts.len() as u64;
    assert!(bill.requests <= 2 * rate, "{} requests of {starts:#?}", bill.requests);
    assert!(bill.tokens <= 2 * BUDGET, "{} tokens of {starts:#?}", bill.tokens);
    assert!(bill.models.iter().all(|model| model == "m"), "{:?} of {starts:#?}", bill.models);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn keys_models_rates_and_budgets_cannot_be_passed(starts in vec(vec(attempt(), 1..24), 1..4)) {
        check(&starts);
    }
}

/// An attempt of the first client, without a trick.
fn plain(headers: Vec<&'static str>, body: &str) -> Attempt {
    Attempt {
        client: 0,
        query: "",
        headers,
        path: "/v1/chat/completions",
        body: body.to_owned(),
        is_packed: false,
        is_cut: false,
    }
}

/// The attempts of the property reach the provider: a test in which all are refused would hold for a broken gateway.
#[test]
fn plain_attempts_are_answered_up_to_the_rate_and_the_budget() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":4900}"#;
    let starts = vec![vec![plain(vec!["x-api-key: KEY"], body); 20]; 3];
    let target = Target::new();
    for (number, attempts) in starts.iter().enumerate() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.unwrap().block_on(target.attack(attempts));
        // Four requests of 4,900 tokens fit below the budget, before and after a restart.
        assert_eq!(target.provider.0.lock().unwrap().requests, 4, "start {number}");
    }
}
