//! `--fallback`: another model where the first has no answer.

use crate::program::{Place, provider, text};

const GONE: &str =
    r#"{"turns": [{"steps": [{"text": "never"}], "hostile": {"switch": "status", "status": 404}}]}"#;
const DONE: &str = r#"{"turns": [{"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "the second did it"}}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_first_model_falls_back_to_the_next() {
    let (place, first, second) = (Place::new(), provider(GONE).await, provider(DONE).await);
    // The second provider is one of the user's own, by a file.
    let config = place.folder.path().join("providers.toml");
    let row = format!(
        "[vendor.spare]\nbase-url = \"{}\"\nwire = \"openai-chat\"\nauth = \"none\"\n",
        second.base_url()
    );
    std::fs::write(&config, row).unwrap();
    let url = first.base_url();
    let run = [
        "run",
        "task",
        "--base-url",
        &url,
        "--model",
        "m",
        "--yes",
        "--fallback",
        "spare:other:8b",
        "--config",
        config.to_str().unwrap(),
    ];
    let ended = place.run(&run);
    let told = text(&ended.stdout) + &text(&ended.stderr);
    assert!(ended.status.success(), "{told}");
    assert!(told.contains("the second did it") && told.contains("m failed: "), "{told}");
    assert_eq!(second.requests()[0].body["model"], "other:8b");
    first.shutdown().await;
    second.shutdown().await;
}
