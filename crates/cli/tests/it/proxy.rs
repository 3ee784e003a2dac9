//! `windlass proxy` between `windlass run` and a scripted provider.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use windlass_vendors::WireFormat;

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"text": "I look."}, {"call": {"name": "read_file", "arguments": {"path": "a.txt"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it says hello"}}}]}]}"#;

fn started(place: &Place, url: &str, wire: &str) -> (Child, String) {
    let proxy = [
        "proxy",
        "--base-url",
        url,
        "--wire",
        wire,
        "--model",
        "scripted-1",
        "--listen",
        "127.0.0.1:0",
        "--json",
    ];
    let mut child = place.command(&proxy).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["wire"], wire);
    (child, told["base_url"].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_of_any_format_works_with_a_provider_of_any_other() {
    for behind in WireFormat::all() {
        let (place, provider) = (Place::new(), provider(SCRIPT).await);
        let (mut proxy, url) = started(&place, &provider.base_url(), behind.name());
        for front in WireFormat::all() {
            let (url, front) = (format!("{url}{}", front.base_path), front.name());
            let ended =
                place.run(&["run", "task", "--base-url", &url, "--wire", front, "--model", "m", "--yes"]);
            let told = text(&ended.stdout) + &text(&ended.stderr);
            assert!(ended.status.success(), "{front} before {behind:?}: {told}");
            assert!(told.contains("it says hello"), "{told}");
        }
        proxy.kill().unwrap();
        proxy.wait().unwrap();
        assert_eq!(provider.requests().len(), 2 * WireFormat::all().len());
        provider.shutdown().await;
    }
}

#[test]
fn a_proxy_serves_only_this_machine_unless_allowed() {
    let place = Place::new();
    let open = place.run(&["proxy", "--base-url", "http://127.0.0.1:9", "--listen", "0.0.0.0:0"]);
    assert_eq!(open.status.code(), Some(1));
    assert!(text(&open.stderr).contains("pass --allow-remote to permit this"), "{}", text(&open.stderr));
    let nobody = place.run(&["proxy"]);
    assert_eq!(nobody.status.code(), Some(2));
    let unknown = place.run(&["proxy", "--upstream", "nobody"]);
    assert!(text(&unknown.stderr).contains("unknown provider nobody"), "{}", text(&unknown.stderr));
}

// Command line B20: Ctrl-C lets answers end that have begun.
#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_is_interrupted_or_terminated_lets_an_answer_end() {
    for signal in ["-INT", "-TERM"] {
        check_end(signal).await;
    }
}

async fn check_end(signal: &str) {
    let words = "word ".repeat(40);
    let script = format!(r#"{{"turns": [{{"delay_ms": 50, "steps": [{{"text": "{words}"}}]}}]}}"#);
    let (place, provider) = (Place::new(), provider(&script).await);
    let (mut proxy, url) = started(&place, &provider.base_url(), "openai-chat");
    let body = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}]}"#;
    let host = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut reader = BufReader::new(stream);
    let mut answer = String::new();
    while !answer.contains("word") {
        assert_ne!(reader.read_line(&mut answer).unwrap(), 0, "{answer}");
    }
    assert!(!answer.contains("[DONE]"), "it had ended before it was interrupted: {answer}");
    let interrupted = Command::new("kill").args([signal, &proxy.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    reader.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("[DONE]") && !answer.contains("\"error\""), "{answer}");
    assert!(proxy.wait().unwrap().code().is_some());
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_with_a_key_use_aliases_and_are_logged_without_content() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let base_url = format!("{}/v1", provider.base_url());
    let add = ["proxy", "--client-keys", "keys.json", "--add-client", "laptop", "--allow-model", "small"];
    let added = place.run(&add);
    let key = text(&added.stdout).trim().to_owned();
    assert!(key.starts_with("wlk-") && key.len() == 68, "{key}");
    let again = place.run(&add);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("a client named \"laptop\" exists"), "{}", text(&again.stderr));
    let stored = std::fs::read_to_string(place.project().join("keys.json")).unwrap();
    assert!(stored.contains("laptop") && !stored.contains(&key));

    let arguments = [
        &["proxy", "--base-url", &base_url, "--wire", "openai-chat", "--listen", "127.0.0.1:0", "--json"][..],
        &["--alias", "small=scripted-1", "--client-keys", "keys.json", "--request-log", "log.jsonl"],
    ];
    let mut child = place.command(&arguments.concat()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let address = told["base_url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let send = |method: &str, path: &str, key: &str, body: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nx-api-key: {key}\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let body = |model: &str| {
        format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":"a private word"}}]}}"#)
    };
    let chat = "/v1/chat/completions";
    assert!(send("POST", chat, &key, &body("small")).contains("I look."));
    assert!(send("POST", chat, &key, &body("scripted-1")).starts_with("HTTP/1.0 404"));
    assert!(send("POST", chat, "wlk-0", &body("small")).starts_with("HTTP/1.0 401"));
    let models = send("GET", "/v1/models", &key, "");
    assert!(models.contains(r#""id":"small""#) && !models.contains("scripted-1"), "{models}");
    assert!(send("GET", "/health", "", "").starts_with("HTTP/1.0 200"));
    assert!(send("GET", "/metrics", &key, "").contains(r#"client="laptop""#));
    assert_eq!(provider.requests().iter().filter(|request| request.path.contains("chat")).count(), 1);

    // A service manager stops the program with SIGTERM.
    let terminated = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(terminated.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let log = std::fs::read_to_string(place.project().join("log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(!log.contains(&key) && !log.contains("private"), "{log}");
    let removed = place.run(&["proxy", "--client-keys", "keys.json", "--remove-client", "laptop"]);
    assert_eq!(removed.status.code(), Some(0));
    assert!(!std::fs::read_to_string(place.project().join("keys.json")).unwrap().contains("laptop"));
}
