//! Runs whose answer has a schema.

use serde_json::{Value, json};
use windlass_app::WireFormat;
use windlass_app::feed::RunOutcome;
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::{Answer, RunEnd};

use crate::feed::{Scene, TWO_CALLS, follow};

const CITY: &str = r#"{"name":"Kyoto","people":1400000}"#;

/// The scenario of two calls with answers by a tool after them: one that does not fit, and one that fits.
fn script() -> String {
    let mut script: Value = serde_json::from_str(TWO_CALLS).unwrap();
    let answer = |arguments: Value| json!({"steps": [{"call": {"name": "answer", "arguments": arguments}}]});
    let wrong = answer(json!({"name": "Kyoto", "people": "many"}));
    script["turns"] = json!([script["turns"][0], wrong, answer(serde_json::from_str(CITY).unwrap())]);
    script.to_string()
}

// Gemini enforces no schema beside functions, so the answer is a call there.
#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_run_that_another_process_resumes_answers_by_a_call() {
    let scene = Scene::new(&script()).await;
    let format = *WireFormat::all().iter().find(|format| format.as_str() == "gemini").unwrap();
    let mut choice = ProviderChoice::default();
    choice.base_url = Some(format!("{}{}", scene.provider.base_url(), format.base_path()));
    choice.model = Some("gemini-model".to_owned());
    choice.wire = Some(format);
    let mut settings = scene.settings("write two files, then name a city");
    settings.provider = Provider::select(&scene.place.app, &choice, &ProviderOptions::default()).unwrap();
    let schema = json!({
        "type": "object", "required": ["name", "people"], "additionalProperties": false,
        "properties": { "name": { "type": "string" }, "people": { "type": "integer" } },
    });
    settings.answer_schema = Some((&schema).into());

    let host = scene.host();
    let run = host.start(settings).await.unwrap();
    let session = run.session().to_owned();
    follow(&host, &run, Answer::Later).await;
    assert!(matches!(run.end(), Some(RunEnd::Outcome(RunOutcome::Suspended { .. }))));
    drop(host);

    let other = scene.host();
    for question in other.questions(&session).await.unwrap() {
        other.answer(&session, &question.id, Answer::Once { comment: None }, "phone").await.unwrap();
    }
    let resumed = other.resume(&session).await.unwrap();
    let end = resumed.wait().await;
    assert!(matches!(&end, RunEnd::Outcome(RunOutcome::Completed { text }) if text == CITY), "{end:?}");
    let requests = scene.provider.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        let tools = request.body["tools"].to_string();
        assert!(tools.contains(r#""name":"answer""#), "{tools}");
    }
    let last = requests[2].body.to_string();
    assert!(last.contains("The answer cannot be used") && last.contains("people"), "{last}");
}
