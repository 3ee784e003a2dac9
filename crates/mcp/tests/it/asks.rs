//! Requests of a server to this side: sampling, questions, floods of them (case MCP-021).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_mcp::{
    ClientOptions, McpClient, McpLimits, Sample, SampleFuture, Sampler, SamplingRefusal, SamplingRequest,
};
use windlass_tool::{AnswerFuture, Human, NoAnswer, Question};

use crate::calls::{call, text};
use crate::fake::{FakeServer, Say, answer, polite, tool};

struct Person {
    says: Result<&'static str, NoAnswer>,
    takes: Duration,
    asked: Mutex<Vec<Question>>,
}

impl Human for Person {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        self.asked.lock().unwrap().push(question.clone());
        Box::pin(async {
            tokio::time::sleep(self.takes).await;
            self.says.map(str::to_owned)
        })
    }
}

fn person(says: Result<&'static str, NoAnswer>) -> Arc<Person> {
    Arc::new(Person { says, takes: Duration::ZERO, asked: Mutex::default() })
}

/// A server that sends this request during a call, and returns the answer as its result.
fn asking(method: &'static str, params: Value) -> Arc<FakeServer> {
    let mut call = Value::Null;
    FakeServer::new(move |message| match message["method"].as_str() {
        Some("tools/call") => {
            call = message.clone();
            vec![Say::Message(json!({"jsonrpc": "2.0", "id": "q-1", "method": method, "params": params}))]
        }
        None => {
            assert_eq!(message["id"], "q-1");
            let said = json!({"result": message["result"], "error": message["error"]["code"]});
            vec![answer(&call, &json!({"content": [], "structuredContent": said}))]
        }
        _ => polite(message, &json!([tool("add")])),
    })
}

async fn client(server: &Arc<FakeServer>, human: Option<Arc<Person>>) -> McpClient {
    let options = ClientOptions::default();
    let options = match human {
        Some(human) => options.with_human(human),
        None => options,
    };
    server.client_of("fake", McpLimits::default(), options).await.unwrap()
}

async fn answered(method: &'static str, params: Value, human: Option<Arc<Person>>) -> String {
    let server = asking(method, params);
    text(&call(&client(&server, human).await).await.unwrap())
}

fn form(schema: &Value) -> Value {
    json!({"message": "enter your API key\u{1b}[2K", "requestedSchema": {"type": "object", "properties": schema}})
}

#[tokio::test]
async fn only_tools_that_the_application_allows_are_offered() {
    let schema = form(&json!({"key": {"type": "string"}}));
    for (method, human) in [
        ("elicitation/create", None),
        ("sampling/createMessage", None),
        ("sampling/createMessage", Some(person(Ok("yes")))),
        ("roots/list", None),
        ("anything/else", Some(person(Ok("yes")))),
    ] {
        let said = answered(method, schema.clone(), human.clone()).await;
        assert!(said.contains("-32601"), "{method}: {said}");
        assert!(human.is_none_or(|human| human.asked.lock().unwrap().is_empty()));
    }
}

#[tokio::test]
async fn a_question_names_its_server_and_only_the_human_answers_it() {
    let human = person(Ok("blue"));
    let said =
        answered("elicitation/create", form(&json!({"colour": {"type": "string"}})), Some(human.clone()))
            .await;
    assert!(said.contains("accept") && said.contains("blue"), "{said}");
    let asked = human.asked.lock().unwrap();
    assert!(asked[0].text.starts_with("The MCP server fake asks a question."), "{}", asked[0].text);
    assert!(asked[0].text.contains(r"\u{1b}[2K") && !asked[0].text.contains('\u{1b}'));
}

#[tokio::test]
async fn missing_and_invalid_replies_are_not_answers() {
    for (says, schema, action) in [
        (Err(NoAnswer::TimedOut), json!({"a": {"type": "string"}}), "cancel"),
        (Err(NoAnswer::Absent), json!({}), "cancel"),
        (Ok(""), json!({"a": {"type": "string"}}), "decline"),
        (Ok("many"), json!({"a": {"type": "integer"}}), "decline"),
        (Ok("green"), json!({"a": {"type": "string", "enum": ["red"]}}), "decline"),
        (Ok("perhaps"), json!({}), "decline"),
        (Ok("x"), json!({"a": {"type": "object"}}), "decline"),
        (
            Ok("7"),
            json!({"a": {"type": "integer"}, "b": {"type": "number"}, "c": {"type": "string"}}),
            "accept",
        ),
        (Ok("no"), json!({"a": {"type": "boolean"}}), "accept"),
        (Ok("yes"), json!({}), "accept"),
    ] {
        let said = answered("elicitation/create", form(&schema), Some(person(says))).await;
        assert!(said.contains(action), "{says:?} to {schema}: {said}");
    }
    let human = person(Ok("yes"));
    assert!(answered("elicitation/create", json!(["x"]), Some(human.clone())).await.contains("-32601"));
    assert!(human.asked.lock().unwrap().is_empty());
}

/// A server that requests that an address is opened.
fn address(url: &str) -> Value {
    json!({"mode": "url", "message": "sign in", "url": url, "elicitationId": "7"})
}

#[tokio::test]
async fn an_address_is_shown_with_its_host_and_not_opened() {
    for (says, action) in [(Ok("yes"), "accept"), (Ok("no"), "decline"), (Err(NoAnswer::TimedOut), "cancel")]
    {
        let human = person(says);
        let said =
            answered("elicitation/create", address("https://example.com/in"), Some(human.clone())).await;
        assert!(said.contains(action) && !said.contains("content"), "{said}");
        let asked = human.asked.lock().unwrap();
        assert!(asked[0].text.contains("of the host example.com"), "{}", asked[0].text);
        assert!(asked[0].text.contains("> https://example.com/in\n"), "{}", asked[0].text);
    }
    let human = person(Ok("yes"));
    for refused in ["file:///etc/passwd", "https://u:p@example.com", "http://x/$(id)"] {
        let said = answered("elicitation/create", address(refused), Some(human.clone())).await;
        assert!(said.contains("decline"), "{refused}: {said}");
    }
    assert!(human.asked.lock().unwrap().is_empty());
}

// An empty answer selects the server's default; an optional field may stay empty.
#[tokio::test]
async fn silence_takes_the_servers_defaults() {
    let params = json!({"message": "who", "requestedSchema": {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "default": "Ada"},
        "age": {"type": "integer", "default": 36},
        "score": {"type": "number", "default": 95.5},
        "well": {"type": "boolean", "default": true},
        "status": {"type": "string", "enum": ["on", "off"], "default": "on"},
        "nick": {"type": "string"},
    }}});
    let said = answered("elicitation/create", params.clone(), Some(person(Ok("")))).await;
    for part in ["accept", "Ada", "36", "95.5", "Bool(true)", "\"on\""] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("nick"), "{said}");
    let mut bare = params;
    bare["requestedSchema"]["properties"]["name"] = json!({"type": "string"});
    assert!(answered("elicitation/create", bare, Some(person(Ok("")))).await.contains("decline"));
}

#[tokio::test]
async fn one_of_several_is_picked_by_value_or_title() {
    let titled = json!({"a": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]}});
    let named = json!({"a": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]}});
    let several = json!({"a": {"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}});
    for (schema, says, value) in [
        (&titled, "Red", "\"r\""),
        (&titled, "g", "\"g\""),
        (&named, "Green", "\"g\""),
        (&several, "r, g", "Array"),
        (&several, "r, blue", "decline"),
        (&named, "Blue", "decline"),
    ] {
        let said = answered("elicitation/create", form(schema), Some(person(Ok(says)))).await;
        assert!(said.contains(value), "{says} of {schema}: {said}");
    }
}

// M2: the time in which the human answers does not count toward the time of the call.
#[tokio::test(start_paused = true)]
async fn a_slow_human_does_not_time_out_the_call() {
    let takes = Duration::from_mins(4);
    let human = Arc::new(Person { says: Ok("blue"), takes, asked: Mutex::default() });
    let said = answered("elicitation/create", form(&json!({"a": {"type": "string"}})), Some(human)).await;
    assert!(said.contains("blue"), "{said}");
}

// One question at a time; requests faster than the server reads are dropped and counted.
#[tokio::test]
async fn a_flood_of_requests_is_bounded() {
    let server = FakeServer::new(|message| match message["method"].as_str() {
        Some("tools/call") => {
            let ask = |id| {
                Say::Message(json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create",
                "params": {"message": "again"}}))
            };
            let ping = |id| Say::Message(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
            let mut says: Vec<Say> = (0..500).flat_map(|id| [ask(id), ping(id + 1_000)]).collect();
            says.push(answer(message, &json!({"content": []})));
            says
        }
        _ => polite(message, &json!([tool("add")])),
    });
    let human = Arc::new(Person { says: Ok("yes"), takes: Duration::from_hours(1), asked: Mutex::default() });
    let client = client(&server, Some(human.clone())).await;
    call(&client).await.unwrap();
    // The last of them may still be on their way.
    while client.skip_counts().refused < 499 {
        tokio::task::yield_now().await;
    }
    assert_eq!(human.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_server_receives_only_the_permitted_roots() {
    let server = asking("roots/list", json!({}));
    let options = ClientOptions::default().with_root("file:///home/me/work");
    let client = server.client_of("fake", McpLimits::default(), options).await.unwrap();
    let said = text(&call(&client).await.unwrap());
    assert!(said.contains("file:///home/me/work"), "{said}");
    assert!(server.heard_of("initialize")[0]["params"]["capabilities"]["roots"].is_object());
}

/// A model that returns the request as its answer, or an empty answer.
struct Model {
    refuses: bool,
    asked: Mutex<Vec<SamplingRequest>>,
}

impl Sampler for Model {
    fn sample<'a>(&'a self, request: &'a SamplingRequest) -> SampleFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        let said = if self.refuses { Err(SamplingRefusal) } else { Ok(Sample::new("forty-two", "a-model")) };
        Box::pin(async { said })
    }
}

async fn sampled(params: &Value, refuses: bool) -> (String, Vec<SamplingRequest>) {
    let model = Arc::new(Model { refuses, asked: Mutex::default() });
    let server = asking("sampling/createMessage", params.clone());
    let options = ClientOptions::default().with_sampler(model.clone());
    let client = server.client_of("fake", McpLimits::default(), options).await.unwrap();
    assert!(server.heard_of("initialize")[0]["params"]["capabilities"]["sampling"].is_object());
    let said = text(&call(&client).await.unwrap());
    let asked = model.asked.lock().unwrap().clone();
    (said, asked)
}

#[tokio::test]
async fn sampling_caps_tokens_and_refuses_unsupported_requests() {
    let words = json!({"type": "text", "text": "what is six by seven?"});
    let params = json!({"messages": [{"role": "user", "content": words}], "systemPrompt": "count",
        "maxTokens": 1_000_000});
    let (said, asked) = sampled(&params, false).await;
    assert!(said.contains("forty-two") && said.contains("a-model") && said.contains("assistant"), "{said}");
    assert_eq!((asked[0].server.as_str(), asked[0].max_tokens), ("fake", 4_096));
    assert_eq!(asked[0].messages, [("user".to_owned(), "what is six by seven?".to_owned())]);
    let (said, asked) = sampled(&params, true).await;
    assert!(said.contains("-32601") && asked.len() == 1, "{said}");
    for refused in [
        json!({"messages": [], "maxTokens": 1}),
        json!({"messages": [{"role": "user", "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}}],
            "maxTokens": 1}),
        json!({"messages": [{"role": "user", "content": {"type": "text", "text": "x".repeat(100_000)}}], "maxTokens": 1}),
    ] {
        let (said, asked) = sampled(&refused, false).await;
        assert!(said.contains("-32601") && asked.is_empty(), "{said}");
    }
}
