//! The advice in refusals and errors reaches the model, and no window of a person.

use windlass_app::feed::FeedKind;
use windlass_app::sessions::{Answer, ExportFormat, export};

use crate::feed::{Scene, follow};

const REFUSED: &str = r#"{"turns": [
    {"steps": [
        {"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "a\n"}}},
        {"call": {"name": "no_such_tool"}},
        {"call": {"name": "write_file", "arguments": {"path": 1, "content": "a\n"}}},
        {"call": {"name": "write_file", "arguments": {"path": "/etc/passwd", "content": "a\n"}}},
        {"call": {"name": "read_file", "arguments": {"path": "missing.txt"}}},
        {"call": {"name": "read_file", "arguments": {"path": "there.txt", "offset": 100}}}
    ]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}
]}"#;

/// Sentences that only the model needs.
const ADVICE: [&str; 6] = [
    "Ask what to do instead, or continue without it.",
    "The tools are: ",
    "Call it again with arguments that fit its schema.",
    "Do not try to achieve the same effect in another way.",
    "List the folder to see its entries.",
    "Give an offset from 1 to 1.",
];

#[tokio::test(flavor = "multi_thread")]
async fn advice_for_the_model_is_not_in_the_feed() {
    let scene = Scene::new(REFUSED).await;
    std::fs::write(scene.place.project().join("there.txt"), "a\n").unwrap();
    let host = scene.host();
    let run = host.start(scene.settings("write")).await.unwrap();
    let live = follow(&host, &run, Answer::No { comment: None }).await;
    let results: Vec<String> = live
        .iter()
        .filter_map(|event| match &event.kind {
            FeedKind::Result { status, text, .. } if status != "ok" => Some(format!("[{status}] {text}")),
            _ => None,
        })
        .collect();
    assert_eq!(results.len(), 6, "{results:#?}");
    for problem in [
        "The human did not allow this call.",
        "unknown tool",
        "/path",
        "The call was not allowed: ",
        "`missing.txt` does not exist",
        "and the offset is behind them",
    ] {
        assert!(results.iter().any(|result| result.contains(problem)), "{problem} in {results:#?}");
    }
    let sent = scene.provider.requests()[1].body.to_string();
    let shown = serde_json::to_string(&live).unwrap();
    for advice in ADVICE {
        assert!(sent.contains(advice), "{advice} in {sent}");
        assert!(!shown.contains(advice), "{advice} in {shown}");
    }
    // A reader of the records sees the same.
    let recorded = serde_json::to_string(&host.read(run.session(), None).await.unwrap()).unwrap();
    assert!(ADVICE.iter().all(|advice| !recorded.contains(advice)), "{recorded}");
    let record = host.sessions().find(run.session()).unwrap();
    for format in [ExportFormat::Markdown, ExportFormat::Json] {
        let document = export(host.sessions(), &record, format).unwrap();
        assert!(document.contains("`missing.txt` does not exist"), "{document}");
        assert!(ADVICE.iter().all(|advice| !document.contains(advice)), "{document}");
    }
}
