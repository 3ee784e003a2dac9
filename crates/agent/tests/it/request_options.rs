//! The options of requests, from the agent and from a run to the bytes of each wire format.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_agent::{RunOptions, UnansweredPolicy};
use windlass_journal::Journal;
use windlass_protocol::{Effort, Message, PromptCache, Request, RequestOptions, ToolChoice, Verbosity};
use windlass_wire::Wire;
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

use crate::scene::{Scene, Shared, Way, way, ways};

const HELLO: &str = r#"{"turns": [{"steps": [{"text": "hello"}]}]}"#;

fn wires() -> [(Arc<dyn Wire>, &'static str); 4] {
    [
        (Arc::new(OpenAiChat::default()), "gpt-5.1"),
        (Arc::new(OpenAiResponses::default()), "gpt-5.1"),
        (Arc::new(Anthropic::default()), "claude-sonnet-4-5"),
        (Arc::new(Gemini::default()), "gemini-2.5-flash"),
    ]
}

/// Each option by itself, by its name.
fn all() -> Vec<(&'static str, RequestOptions)> {
    let none = RequestOptions::default;
    vec![
        ("max_output_tokens", none().with_max_output_tokens(4_000)),
        ("temperature", none().with_temperature(0.5)),
        ("top_p", none().with_top_p(0.9)),
        ("stop_sequences", none().with_stop_sequences(["END"])),
        ("seed", none().with_seed(7)),
        ("reasoning", none().with_reasoning(Effort::Low)),
        ("verbosity", none().with_verbosity(Verbosity::Low)),
        ("service_tier", none().with_service_tier("flex")),
        ("metadata", none().with_metadata("user_id", "u1")),
        ("extra", none().with_extra("own", json!({ "a": 1 }))),
    ]
}

/// The fields that each wire format sends for an option, or `null` if it refuses the option.
fn sent() -> Value {
    json!({
        "max_output_tokens": [
            { "max_tokens": 4000 }, { "max_output_tokens": 4000 }, { "max_tokens": 4000 },
            { "generationConfig": { "maxOutputTokens": 4000 } },
        ],
        "temperature": [
            { "temperature": 0.5 }, { "temperature": 0.5 }, { "temperature": 0.5 },
            { "generationConfig": { "temperature": 0.5 } },
        ],
        "top_p": [{ "top_p": 0.9 }, { "top_p": 0.9 }, { "top_p": 0.9 }, { "generationConfig": { "topP": 0.9 } }],
        "stop_sequences": [
            { "stop": ["END"] }, null, { "stop_sequences": ["END"] },
            { "generationConfig": { "stopSequences": ["END"] } },
        ],
        "seed": [{ "seed": 7 }, null, null, { "generationConfig": { "seed": 7 } }],
        "reasoning": [
            { "reasoning_effort": "low" }, { "reasoning": { "effort": "low" } },
            { "thinking": { "type": "enabled", "budget_tokens": 2048 }, "max_tokens": 10240 },
            { "generationConfig": { "thinkingConfig": { "includeThoughts": true, "thinkingBudget": 2048 } } },
        ],
        "verbosity": [{ "verbosity": "low" }, { "text": { "verbosity": "low" } }, null, null],
        "service_tier": [{ "service_tier": "flex" }, { "service_tier": "flex" }, { "service_tier": "flex" }, null],
        "metadata": [
            { "metadata": { "user_id": "u1" } }, { "metadata": { "user_id": "u1" } },
            { "metadata": { "user_id": "u1" } }, null,
        ],
        "extra": [{ "own": { "a": 1 } }, { "own": { "a": 1 } }, { "own": { "a": 1 } }, { "own": { "a": 1 } }],
    })
}

fn body(wire: &dyn Wire, request: &Request) -> Option<Value> {
    Some(serde_json::from_slice(&wire.encode(request).ok()?.body).unwrap())
}

#[test]
fn each_wire_format_sends_an_option_or_refuses_it_by_its_name() {
    let table = sent();
    for (index, (wire, model)) in wires().into_iter().enumerate() {
        let plain = Request::new(model, vec![Message::user("hi")]);
        let Value::Object(without) = body(&*wire, &plain).unwrap() else { panic!() };
        for (name, options) in all() {
            let place = format!("{name} at {}", wire.name());
            let request = plain.clone().with_options(options);
            let expected = &table[name][index];
            let problems = wire.check(&request);
            if expected.is_null() {
                assert!(problems.iter().any(|refusal| refusal.place == name), "{place}: {problems:?}");
                let error = wire.encode(&request).unwrap_err().to_string();
                assert!(error.contains(name), "{place}: {error}");
                continue;
            }
            assert!(problems.is_empty(), "{place}: {problems:?}");
            let Value::Object(fields) = body(&*wire, &request).unwrap() else { panic!() };
            let changed: serde_json::Map<_, _> =
                fields.into_iter().filter(|(name, value)| without.get(name) != Some(value)).collect();
            assert_eq!(&Value::Object(changed), expected, "{place}");
        }
    }
}

#[test]
fn the_amount_of_reasoning_follows_the_model() {
    let thinking = |wire: &dyn Wire, model: &str, effort| {
        let options = RequestOptions::default().with_reasoning(effort);
        body(wire, &Request::new(model, vec![Message::user("hi")]).with_options(options)).unwrap()
    };
    let (anthropic, gemini) = (Anthropic::default(), Gemini::default());
    let newer = thinking(&anthropic, "claude-opus-4-8", Effort::Max);
    assert_eq!(newer["thinking"], json!({ "type": "adaptive" }));
    assert_eq!(newer["output_config"], json!({ "effort": "max" }));
    assert_eq!(thinking(&anthropic, "claude-sonnet-5", Effort::Off).get("thinking"), None);
    let level = |model, effort| {
        thinking(&gemini, model, effort)["generationConfig"]["thinkingConfig"]["thinkingLevel"].clone()
    };
    assert_eq!(level("gemini-3-pro-preview", Effort::Medium), "high");
    assert_eq!(level("gemini-3-flash", Effort::Medium), "medium");
    assert_eq!(level("gemini-3-pro-preview", Effort::Off), "low");
    let budget = thinking(&gemini, "gemini-2.5-pro", Effort::Off);
    assert_eq!(budget["generationConfig"]["thinkingConfig"]["thinkingBudget"], 128);
}

#[tokio::test]
async fn the_options_of_a_run_replace_those_of_the_agent_one_by_one() {
    for way in ways() {
        let scene = Scene::new(HELLO, way).without_completion();
        let agent = scene.builder().temperature(0.5).max_output_tokens(100).build().unwrap();
        let run = RequestOptions::default().with_temperature(0.25).with_top_p(0.5);
        let options = RunOptions::default().with_request_options(run);
        agent.run_with("task", options).await.unwrap();
        let request = scene.model.requests()[0].clone();
        let fields = request.get("generationConfig").unwrap_or(&request);
        let of = |names: [&str; 2]| names.iter().find_map(|name| fields.get(name)?.as_f64());
        assert_eq!(of(["temperature", ""]), Some(0.25), "{request}");
        assert_eq!(of(["top_p", "topP"]), Some(0.5), "{request}");
    }
}

#[tokio::test]
async fn a_resumed_run_keeps_the_recorded_options() {
    let journal = Shared::default();
    let script = r#"{"turns": [{"steps": [{"call": {"name": "change", "arguments": {}}}]}, {"steps": [{"text": "done"}]}]}"#;
    let scene = Scene::new(script, way()).without_completion();
    let agent =
        scene.builder().on_unanswered(UnansweredPolicy::Suspend).approver(windlass_agent::Answers::default());
    let agent = agent.build().unwrap();
    let run = RequestOptions::default().with_temperature(0.25).with_seed(3);
    let options = RunOptions::default().with_journal(journal.clone()).with_request_options(run);
    let report = agent.run_with("task", options).await.unwrap();
    assert_eq!(report.text(), None);
    assert!(journal.records().unwrap()[0].body.as_str().contains("\"temperature\":0.25"));
    let other = scene.builder().approver(windlass_agent::ApproveAll).temperature(0.75).build().unwrap();
    let resumed = other.resume(RunOptions::default().with_journal(journal)).unwrap();
    assert_eq!(resumed.report().await.unwrap().text(), Some("done"));
    let last = scene.model.requests().pop().unwrap();
    assert_eq!((&last["temperature"], &last["seed"]), (&json!(0.25), &json!(3)));
}

#[tokio::test]
async fn a_demanded_call_holds_until_the_first_call_of_the_task() {
    let script = r#"{"turns": [{"steps": [{"call": {"name": "look", "arguments": {}}}]}, {"steps": [{"text": "done"}]}]}"#;
    let scene = Scene::new(script, way()).without_completion();
    let options = RequestOptions::default().with_tool_choice(ToolChoice::Required);
    let agent = scene.builder().request_options(options).build().unwrap();
    assert_eq!(agent.run("task").await.unwrap().into_text().unwrap(), "done");
    let choices: Vec<Value> =
        scene.model.requests().iter().map(|request| request["tool_choice"].clone()).collect();
    assert_eq!(choices, [json!("required"), Value::Null]);
}

// Each turn of an agent sends the conversation again, so the marks are on by default.
#[tokio::test]
async fn each_turn_at_anthropic_marks_its_tools_and_its_conversation_for_the_cache() {
    let script = r#"{"turns": [{"steps": [{"call": {"name": "look", "arguments": {}}}]}, {"steps": [{"text": "done"}]}]}"#;
    let marked = |way: Way, options: RequestOptions| async {
        let scene = Scene::new(script, way).without_completion();
        let agent = scene.builder().system("Be brief.").request_options(options).build().unwrap();
        agent.run("task").await.unwrap();
        let count = |request: &Value| request.to_string().matches("cache_control").count();
        scene.model.requests().iter().map(count).collect::<Vec<_>>()
    };
    let anthropic =
        || ways().into_iter().find(|way| way.has_native_ids() && way.wire.name() == "anthropic").unwrap();
    // The last tool, the system prompt, and the end of the conversation.
    assert_eq!(marked(anthropic(), RequestOptions::default()).await, [3, 3]);
    let off = RequestOptions::default().with_prompt_cache(PromptCache::Off);
    assert_eq!(marked(anthropic(), off).await, [0, 0]);
    assert_eq!(marked(way(), RequestOptions::default()).await, [0, 0]);
}
