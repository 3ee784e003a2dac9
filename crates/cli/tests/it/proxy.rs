//! `windlass proxy` between `windlass run` and a scripted provider.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

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
    let formats =
        [("openai-chat", "/v1"), ("openai-responses", "/v1"), ("anthropic", ""), ("gemini", "/v1beta")];
    for (behind, _) in formats {
        let (place, provider) = (Place::new(), provider(SCRIPT).await);
        let (mut proxy, url) = started(&place, &provider.base_url(), behind);
        for (front, base) in formats {
            let url = format!("{url}{base}");
            let ended =
                place.run(&["run", "task", "--base-url", &url, "--wire", front, "--model", "m", "--yes"]);
            let told = text(&ended.stdout) + &text(&ended.stderr);
            assert!(ended.status.success(), "{front} before {behind}: {told}");
            assert!(told.contains("it says hello"), "{told}");
        }
        proxy.kill().unwrap();
        proxy.wait().unwrap();
        assert_eq!(provider.requests().len(), 8);
        provider.shutdown().await;
    }
}

#[test]
fn a_proxy_is_for_this_machine_unless_it_is_said() {
    let place = Place::new();
    let open = place.run(&["proxy", "--base-url", "http://127.0.0.1:9", "--listen", "0.0.0.0:0"]);
    assert_eq!(open.status.code(), Some(1));
    assert!(text(&open.stderr).contains("say --allow-remote if that is meant"), "{}", text(&open.stderr));
    let nobody = place.run(&["proxy"]);
    assert_eq!(nobody.status.code(), Some(2));
    let unknown = place.run(&["proxy", "--upstream", "nobody"]);
    assert!(text(&unknown.stderr).contains("the provider nobody is not known"), "{}", text(&unknown.stderr));
}
