//! Settings of `windlass proxy` that a provider or a signal sees.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use windlass_mock::ScriptedProvider;

use crate::program::{Place, provider};

const SCRIPT: &str = r#"{"turns": [{"steps": [{"text": "hello"}]}, {"steps": [{"text": "hello"}]}]}"#;

/// A proxy, and the address of its server.
struct Proxy {
    child: Child,
    address: String,
}

impl Proxy {
    fn start(place: &Place, arguments: &[&str], settings: &Path) -> Self {
        let fixed = ["proxy", "--listen", "127.0.0.1:0", "--json"];
        let mut command = place.command(&[&fixed[..], arguments].concat());
        command.env("WINDLASS_CONFIG_DIR", settings).env("WORK_KEY", "sk-test-0123456789");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let address = told["base_url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        Self { child, address }
    }

    fn send(&self, path: &str, headers: &str) -> String {
        let body = r#"{"model":"scripted-1","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(stream, "POST {path} HTTP/1.0\r\n{headers}content-length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
}

/// The versions that the requests for answers named.
fn versions(provider: &ScriptedProvider) -> Vec<String> {
    let requests = provider.requests();
    let answers = requests.iter().filter(|request| request.path.ends_with("/messages"));
    let version = |headers: &[(String, String)]| {
        headers
            .iter()
            .filter(|(name, _)| name == "anthropic-version")
            .map(|(_, value)| value.clone())
            .collect()
    };
    answers.map(|request| version(&request.headers)).map(|versions: Vec<_>| versions.join(",")).collect()
}

/// The guide names this line for the newer version of Anthropic's API.
#[tokio::test(flavor = "multi_thread")]
async fn the_version_of_the_guide_is_sent_with_each_request() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/src/gateway.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let line = guide.split('`').find(|text| text.starts_with("headers = { anthropic-version")).unwrap();
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let settings = place.folder.path().join("settings");
    std::fs::create_dir(&settings).unwrap();
    let row = |line: &str| {
        let url = provider.base_url();
        format!("[vendor.work]\nbase-url = \"{url}\"\nwire = \"anthropic\"\nkey-env = \"WORK_KEY\"\n{line}\n")
    };
    for (line, expected) in [("", "2023-06-01"), (line, "2026-10-21")] {
        std::fs::write(settings.join("providers.toml"), row(line)).unwrap();
        let mut proxy = Proxy::start(&place, &["--upstream", "work"], &settings);
        let earlier = versions(&provider).len();
        assert!(proxy.send("/v1/chat/completions", "").contains("hello"));
        // The file's version is that of all requests, also of a client that names another one.
        assert!(proxy.send("/v1/messages", "anthropic-version: 2023-06-01\r\n").contains("hello"));
        assert_eq!(versions(&provider)[earlier..], [expected, expected], "{line}");
        proxy.child.kill().unwrap();
        proxy.child.wait().unwrap();
    }
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hangup_without_a_file_is_reported_and_the_proxy_continues() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = format!("{}/v1", provider.base_url());
    let arguments = ["--base-url", &url, "--wire", "openai-chat"];
    let mut proxy = Proxy::start(&place, &arguments, place.folder.path());
    proxy.signal("-HUP");
    let mut note = String::new();
    BufReader::new(proxy.child.stderr.take().unwrap()).read_line(&mut note).unwrap();
    assert!(note.contains("no configuration file"), "{note}");
    assert!(proxy.send("/v1/chat/completions", "").contains("hello"));
    proxy.signal("-TERM");
    assert_eq!(proxy.child.wait().unwrap().code(), Some(0));
    provider.shutdown().await;
}
