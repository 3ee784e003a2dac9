//! `--protocol`: the same work with calls in a constrained answer and as text (P5).

use windlass_mock::{Script, ScriptedProvider};
use windlass_text_calls::Dialect;

use crate::program::{Place, text, wire_formats};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"text": "I write it."}, {"call": {"name": "write_file", "arguments": {"path": "made.txt", "content": "a <b> \"c\"\nd"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is written"}}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_model_without_tool_calls_does_the_same_work_in_every_format() {
    for (protocol, dialect) in
        [("structured", Dialect::Structured), ("text", Dialect::Roo), ("text", Dialect::Hermes)]
    {
        for wire in wire_formats() {
            let place = Place::new();
            let script = Script::parse(SCRIPT).unwrap().to_text_calls(dialect);
            let provider = ScriptedProvider::start(script, 0).await.unwrap();
            let url = provider.base_url();
            let mut run = vec!["run", "task", "--base-url", &url, "--wire", wire, "--model", "m", "--yes"];
            run.extend(["--protocol", protocol]);
            if protocol == "text" {
                run.extend(["--dialect", dialect.name()]);
            }
            let ended = place.run(&run);
            let told = text(&ended.stdout) + &text(&ended.stderr);
            assert!(ended.status.success(), "{protocol} {wire}: {told}");
            let made = std::fs::read_to_string(place.project().join("made.txt")).unwrap();
            assert_eq!(made, "a <b> \"c\"\nd", "{protocol} {wire}");
            let first = &provider.requests()[0].body;
            assert!(first["tools"].is_null(), "{first}");
            assert!(first.to_string().contains("write_file"), "{first}");
            provider.shutdown().await;
        }
    }
}
