//! One expression from the name of a model to its answer, over HTTP.

use serde_json::json;
use windlass::prelude::*;
use windlass::providers::{Client, ProviderModel, Vendors};
use windlass::tool::{schemars, serde};
use windlass_mock::{Script, ScriptedProvider};

async fn serve(script: serde_json::Value) -> ScriptedProvider {
    let script = Script::parse(&script.to_string()).expect("the script is valid");
    ScriptedProvider::start(script, 0).await.expect("a port is free")
}

#[tokio::test]
async fn a_compatible_server_answers_in_one_expression() {
    let server = serve(json!({"turns": [{"steps": [{"text": "Hello."}]}]})).await;
    let model = windlass::compatible(format!("{}/v1", server.base_url()), Some("a key"), "m").unwrap();
    assert_eq!(model.answer("Say hello.").await.unwrap(), "Hello.");
    let requests = server.requests();
    assert_eq!(requests[0].path, "/v1/chat/completions");
    assert_eq!(requests[0].body["model"], "m");
    assert_eq!(requests[0].body["messages"][0]["content"], "Say hello.");
}

#[tokio::test]
async fn a_typed_answer_is_corrected_until_it_fits() {
    #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
    #[serde(crate = "windlass::tool::serde")]
    #[schemars(crate = "windlass::tool::schemars")]
    struct City {
        name: String,
        people: u64,
    }
    let server = serve(json!({"turns": [
        {"steps": [{"text": r#"{"name": "Tokyo"}"#}]},
        {"steps": [{"text": r#"{"name": "Tokyo", "people": 14000000}"#}]},
    ]}))
    .await;
    let model = windlass::compatible(server.base_url(), None, "m").unwrap();
    let city: City = model.extract("Which city of Japan is the largest?").await.unwrap();
    assert_eq!(city, City { name: "Tokyo".to_owned(), people: 14_000_000 });
    assert_eq!(server.requests().len(), 2);
    assert_eq!(server.requests()[0].body["response_format"]["type"], "json_schema");
}

#[tokio::test]
async fn the_agent_of_a_model_has_tools_and_takes_the_facts_of_its_vendor() {
    /// Adds two integers.
    #[tool(read_only, internal)]
    fn add(left: i64, right: i64) -> i64 {
        left.saturating_add(right)
    }
    let server = serve(json!({"turns": [
        {"steps": [{"call": {"name": "add", "arguments": {"left": 19, "right": 23}}}]},
        {"steps": [{"text": "It is 42."}]},
    ]}))
    .await;
    let model = windlass::compatible(server.base_url(), None, "m").unwrap();
    let toolbox = Toolbox::builder().tool(std::sync::Arc::new(Add)).build().unwrap();
    let agent = model.agent().toolbox(toolbox).build().unwrap();
    assert_eq!(agent.run("19 + 23?").await.unwrap().into_text().unwrap(), "It is 42.");
    assert_eq!(server.requests().len(), 2);
}

// OpenAI refuses a call whose reasoning is missing from the next request, and answers worse without it.
#[tokio::test]
async fn reasoning_goes_back_to_openai_before_its_call() {
    /// Adds two integers.
    #[tool(read_only, internal)]
    fn add(left: i64, right: i64) -> i64 {
        left.saturating_add(right)
    }
    let server = serve(json!({"turns": [
        {"steps": [{"reasoning": "Sum."}, {"call": {"name": "add", "arguments": {"left": 19, "right": 23}}}]},
        {"steps": [{"text": "It is 42."}]},
    ]}))
    .await;
    let mut vendor = Vendors::builtin().get("openai-responses").unwrap().clone();
    vendor.endpoint = vendor.endpoint.with_base_url(format!("{}/v1", server.base_url()));
    let client = Client::vendor(vendor).key(Some("a key".into())).build().unwrap();
    let toolbox = Toolbox::builder().tool(std::sync::Arc::new(Add)).build().unwrap();
    let agent = ProviderModel::new(client, "gpt-5.1").agent().toolbox(toolbox).build().unwrap();
    assert_eq!(agent.run("19 + 23?").await.unwrap().into_text().unwrap(), "It is 42.");
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.path == "/v1/responses"));
    let body = &requests[1].body;
    assert_eq!((&body["store"], &body["include"]), (&json!(false), &json!(["reasoning.encrypted_content"])));
    let kinds: Vec<&str> =
        body["input"].as_array().unwrap().iter().filter_map(|item| item["type"].as_str()).collect();
    assert_eq!(kinds, ["reasoning", "function_call", "function_call_output"]);
    assert!(body["input"][1]["encrypted_content"].is_string(), "{body}");
}

#[test]
fn an_address_that_is_invalid_and_a_vendor_that_is_unknown_are_errors() {
    assert!(windlass::compatible("no address", None, "m").is_err());
    let failed = windlass::provider("nowhere", "m").unwrap_err();
    assert!(failed.to_string().contains("anthropic"), "{failed}");
}
