//! Requests as bytes.

use serde_json::{Value, json};
use windlass_protocol::{
    Arguments, CallId, Content, Delivery, Image, Message, Opaque, ParallelCalls, Part, Payload, Reasoning,
    Request, ResultStatus, Role, Strictness, Text, ToolCall, ToolChoice, ToolName, ToolResult, ToolSpec,
    Unknown,
};
use windlass_testkit::wire_suite::{
    self, call, check_pairing, check_refusals, check_turns, result, tool, turns,
};
use windlass_wire::Wire;
use windlass_wire_gemini::{AutoMode, Gemini, GeminiOptions, Rules, SchemaField, StreamFraming};

fn function(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall::function(
        CallId::new(id).unwrap(),
        ToolName::new(name).unwrap(),
        Arguments::parse(arguments).unwrap(),
    )
}

/// A call as this API gave it.
fn given(id: &str, name: &str, opaque: Value) -> Part {
    Part::Call(function(id, name, "{}").with_opaque(Some(Opaque::new("gemini", opaque))))
}

fn encode(options: GeminiOptions, request: &Request) -> String {
    wire_suite::body(&Gemini::new(options), request)
}

fn body(request: &Request) -> String {
    encode(GeminiOptions::default(), request)
}

/// The contents as they are sent to a model.
fn contents_to(model: &str, messages: Vec<Message>) -> String {
    let body = body(&Request::new(model, messages));
    let (_, contents) = body.split_once(r#""contents":"#).unwrap();
    contents.strip_suffix('}').unwrap().to_owned()
}

#[track_caller]
fn check_to(model: &str, messages: Vec<Message>, expected: &str) {
    assert_eq!(contents_to(model, messages), expected.lines().map(str::trim).collect::<String>());
}

#[track_caller]
fn check(messages: Vec<Message>, expected: &str) {
    check_to("gemini-2.5-flash", messages, expected);
}

#[track_caller]
fn check_error(request: &Request, words: &str) {
    wire_suite::check_error(&Gemini::default(), request, words);
}

fn ask() -> Request {
    Request::new("gemini-2.5-flash", vec![Message::user("hi")])
}

fn with_extra(mut request: Request, name: &str, value: Value) -> Request {
    request.options.extra.insert(name.into(), value);
    request
}

// N6
#[test]
fn the_bytes_of_a_turn_begin_with_those_of_the_turn_before() {
    let mut turns = turns(["a", "b", "c"]);
    turns.insert(2, vec![Message::user("and quickly")]);
    for model in ["gemini-2.5-flash", "gemini-3-pro"] {
        check_turns(&Gemini::default(), model, turns.clone());
    }
}

// R1
#[test]
fn a_conversation_with_unpaired_calls_is_refused() {
    check_pairing(&Gemini::default());
}

#[test]
fn inexpressible_requests_fail_and_name_the_part() {
    check_refusals(&Gemini::default());
    check_error(&ask().with_tools(vec![tool("1st")]), "1st");
    check_error(&ask().with_tools(vec![tool(&"x".repeat(65))]), "xxx");
    let single = ask().with_tools(vec![tool("read")]).with_parallel_calls(ParallelCalls::Forbid);
    check_error(&single, "the limit of one call");
    check_error(&with_extra(ask(), "generationConfig", json!({ "candidateCount": 2 })), "one candidate");
    let unnamed = Message::new(Role::User, vec![Part::Image(Image::base64("", "aGk="))]);
    check_error(&Request::new("gemini-2.5-flash", vec![unnamed]), "media type");
    for model in ["", "../secrets", "a//b", "a b", "a?key=1", "models/"] {
        check_error(&Request::new(model, vec![Message::user("hi")]), "model name");
    }
    let custom = ToolCall::new(
        CallId::new("p").unwrap(),
        ToolName::new("patch").unwrap(),
        Payload::Custom { input: "x".into() },
    );
    let messages = vec![Message::assistant(vec![Part::Call(custom)]), Message::results([result("p", "x")])];
    let body = encode(GeminiOptions::default(), &Request::new("gemini-2.5-flash", messages));
    assert!(body.contains(r#""functionCall":{"name":"patch","args":{"input":"x"}}"#), "{body}");
    let shell = ToolCall::new(
        CallId::new("p").unwrap(),
        ToolName::new("local_shell").unwrap(),
        Payload::LocalShell {
            command: vec!["ls".into(), "a b".into()],
            working_directory: None,
            timeout_ms: None,
        },
    );
    let messages = vec![Message::assistant(vec![Part::Call(shell)]), Message::results([result("p", "x")])];
    let body = encode(GeminiOptions::default(), &Request::new("gemini-2.5-flash", messages));
    assert!(body.contains(r#""command":["ls","a b"]"#), "{body}");
}

#[track_caller]
fn check_path(options: GeminiOptions, request: &Request, expected: &str) {
    assert_eq!(Gemini::new(options).encode(request).unwrap().path, expected);
}

#[test]
fn model_delivery_and_framing_are_the_address() {
    let default = GeminiOptions::default;
    let array = default().with_framing(StreamFraming::Array);
    let tuned = Request::new("tunedModels/mine-1", vec![Message::user("hi")]);
    check_path(default(), &ask(), "/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    check_path(array.clone(), &ask(), "/models/gemini-2.5-flash:streamGenerateContent");
    check_path(array, &ask().with_delivery(Delivery::Whole), "/models/gemini-2.5-flash:generateContent");
    check_path(default(), &tuned, "/tunedModels/mine-1:streamGenerateContent?alt=sse");
}

#[test]
fn the_body_has_its_fields_in_order() {
    let mut request = ask()
        .with_system("Be brief.")
        .with_tools(vec![tool("read")])
        .with_tool_choice(ToolChoice::Named(ToolName::new("read").unwrap()))
        .with_max_output_tokens(5);
    request.options.temperature = Some(0.5);
    request.options.stop_sequences = vec!["END".into()];
    let expected = [
        r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"#,
        r#""tools":[{"functionDeclarations":[{"name":"read","description":"Does it.","#,
        r#""parametersJsonSchema":{"type":"object","properties":{"z":{},"a":{}}}}]}],"#,
        r#""toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["read"]}},"#,
        r#""generationConfig":{"temperature":0.5,"maxOutputTokens":5,"stopSequences":["END"]},"#,
        r#""contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#,
    ];
    assert_eq!(body(&request), expected.concat());
}

#[test]
fn extra_members_join_the_computed_ones_and_win() {
    let request = ask().with_tools(vec![tool("read")]).with_max_output_tokens(5);
    let config = json!({ "responseMimeType": "application/json", "responseJsonSchema": { "type": "object" },
        "maxOutputTokens": 7, "thinkingConfig": { "thinkingBudget": 0 } });
    let request = with_extra(request, "generationConfig", config);
    let request = request.with_hosted_tools(vec![Unknown::new("gemini", json!({ "googleSearch": {} }))]);
    let calling = json!({ "mode": "VALIDATED", "allowedFunctionNames": ["read", "write"] });
    let choice = json!({ "retrievalConfig": { "languageCode": "de" }, "functionCallingConfig": calling });
    let request = with_extra(request, "toolConfig", choice);
    let request = with_extra(request, "cachedContent", json!("cachedContents/1"));
    let sent = body(&request);
    let value: Value = serde_json::from_str(&sent).unwrap();
    assert_eq!(value["generationConfig"]["maxOutputTokens"], 7);
    assert_eq!(value["generationConfig"]["thinkingConfig"]["thinkingBudget"], 0);
    assert_eq!(value["tools"][0]["functionDeclarations"][0]["name"], "read");
    assert_eq!(value["tools"][1], json!({ "googleSearch": {} }));
    assert_eq!(value["toolConfig"]["functionCallingConfig"]["mode"], "VALIDATED");
    assert_eq!(
        value["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"],
        json!(["read", "write"])
    );
    assert_eq!(value["toolConfig"]["retrievalConfig"]["languageCode"], "de");
    assert!(sent.contains(r#","cachedContent":"cachedContents/1","contents":"#), "{sent}");
    let replaced = with_extra(ask(), "generationConfig", json!(null));
    assert!(body(&replaced).starts_with(r#"{"generationConfig":null,"#));
}

#[track_caller]
fn check_choice(mode: AutoMode, choice: ToolChoice, parallel: ParallelCalls, expected: &str) {
    let request = ask().with_tools(vec![tool("read")]).with_tool_choice(choice).with_parallel_calls(parallel);
    let body: Value =
        serde_json::from_str(&encode(GeminiOptions::default().with_auto_mode(mode), &request)).unwrap();
    assert_eq!(body["toolConfig"]["functionCallingConfig"]["mode"].as_str().unwrap_or_default(), expected);
}

#[test]
fn tool_choices_are_encoded() {
    use ParallelCalls::{Allow, Forbid, ProviderDefault};
    check_choice(AutoMode::Unsaid, ToolChoice::Auto, ProviderDefault, "");
    check_choice(AutoMode::Unsaid, ToolChoice::Auto, Allow, "");
    check_choice(AutoMode::Validated, ToolChoice::Auto, ProviderDefault, "VALIDATED");
    check_choice(AutoMode::Validated, ToolChoice::Required, ProviderDefault, "ANY");
    check_choice(AutoMode::Unsaid, ToolChoice::None, Forbid, "NONE");
}

#[track_caller]
fn check_strict(strictness: [Strictness; 2], choice: ToolChoice, expected: &str) {
    let tools = ["read", "write"].map(tool).into_iter().zip(strictness);
    let tools = tools.map(|(tool, strictness)| tool.with_strict(strictness)).collect();
    let body: Value = serde_json::from_str(&body(&ask().with_tools(tools).with_tool_choice(choice))).unwrap();
    assert_eq!(body["toolConfig"]["functionCallingConfig"]["mode"].as_str().unwrap_or_default(), expected);
}

#[test]
fn a_schema_that_must_be_enforced_chooses_the_mode() {
    use Strictness::{Off, On, Unsaid};
    check_strict([Unsaid, On], ToolChoice::Auto, "VALIDATED");
    check_strict([Off, On], ToolChoice::Auto, "VALIDATED");
    check_strict([Off, Unsaid], ToolChoice::Auto, "");
    check_strict([On, On], ToolChoice::Required, "ANY");
    check_strict([On, On], ToolChoice::None, "NONE");
}

#[track_caller]
fn check_schema(field: SchemaField, schema: &str, expected: &str) {
    let name = ToolName::new("read").unwrap();
    let request = ask().with_tools(vec![ToolSpec::function(name, "", schema.parse().unwrap())]);
    let body = encode(GeminiOptions::default().with_schema_field(field), &request);
    let (_, function) = body.split_once(r#"[{"name":"read""#).unwrap();
    assert_eq!(function.split_once("}]}],").unwrap().0, expected);
}

#[test]
fn a_schema_is_sent_unchanged_in_the_configured_field() {
    use SchemaField::{Parameters, ParametersJsonSchema};
    let schema = r#"{"type": "object", "properties": {"z": {}, "a": {}}}"#;
    check_schema(ParametersJsonSchema, schema, &format!(r#","parametersJsonSchema":{schema}"#));
    check_schema(Parameters, schema, &format!(r#","parameters":{schema}"#));
    let empty = r#"{"type":"object","properties":{}}"#;
    check_schema(ParametersJsonSchema, empty, &format!(r#","parametersJsonSchema":{empty}"#));
    check_schema(Parameters, empty, "");
    check_schema(ParametersJsonSchema, "null", "");
}

/// A round of calls whose results are out of order and in several messages.
fn round() -> Vec<Message> {
    let mut picture = ToolResult::text(CallId::new("a").unwrap(), ResultStatus::Denied, "no");
    picture.content.insert(0, Content::Image(Image::base64("image/png", "aGk=")));
    let structured = |id: &str, value| {
        let content = vec![Content::Structured { value }];
        Part::Result(ToolResult::new(CallId::new(id).unwrap(), ResultStatus::Ok, content))
    };
    let calls =
        [("a", "read", r#"{"n": 1.50}"#), ("b", "list", "{}"), ("c", "sum", "{}"), ("d", "now", "{}")];
    vec![
        Message::assistant(calls.map(|(id, name, arguments)| call(id, name, arguments)).into()),
        Message::new(Role::Tool, vec![structured("c", json!(3)), Part::Result(result("b", "two"))]),
        Message::new(Role::Tool, vec![Part::text("a word"), Part::Result(picture)]),
        Message::new(Role::User, vec![Part::text("go on"), structured("d", json!({ "hour": 3 }))]),
    ]
}

const OTHER_CALLS: &str = r#"{"functionCall":{"name":"list","args":{}}},{"functionCall":{"name":"sum","args":{}}},
    {"functionCall":{"name":"now","args":{}}}]},{"role":"user","parts":["#;
const OTHER_RESULTS: &str = r#"{"functionResponse":{"name":"list","response":{"output":"two"}}},
    {"functionResponse":{"name":"sum","response":{"output":3}}},
    {"functionResponse":{"name":"now","response":{"hour":3}}},"#;

// P6, R1, R8
#[test]
fn results_are_in_call_order_and_images_follow() {
    let expected = [
        r#"[{"role":"model","parts":[{"functionCall":{"name":"read","args":{"n": 1.50}}},"#,
        OTHER_CALLS,
        r#"{"functionResponse":{"name":"read","response":{"error":"[denied] no"}}},"#,
        OTHER_RESULTS,
        r#"{"text":"The result of read has these images:"},
           {"inlineData":{"mimeType":"image/png","data":"aGk="}},{"text":"a word"}]},
           {"role":"user","parts":[{"text":"go on"}]}]"#,
    ];
    check(round(), &expected.concat());
}

// P2, R8
#[test]
fn since_gemini_3_images_are_inside_and_the_first_call_is_signed() {
    let expected = [
        r#"[{"role":"model","parts":[{"functionCall":{"name":"read","args":{"n": 1.50}},
           "thoughtSignature":"skip_thought_signature_validator"},"#,
        OTHER_CALLS,
        r#"{"functionResponse":{"name":"read","response":{"error":"[denied] no"},
           "parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}},"#,
        OTHER_RESULTS,
        r#"{"text":"a word"}]},{"role":"user","parts":[{"text":"go on"}]}]"#,
    ];
    check_to("models/gemini-3.1-pro-preview", round(), &expected.concat());
}

// P1, P2
#[test]
fn parts_from_the_api_return_unchanged() {
    let opaque = |signature: &str| Some(Opaque::new("gemini", json!({ "thoughtSignature": signature })));
    let foreign = Some(Opaque::new("anthropic", json!({ "thoughtSignature": "c2ln" })));
    let code = json!({ "part": { "executableCode": { "language": "PYTHON", "code": "1" } } });
    check_to(
        "gemini-3-flash-preview",
        vec![
            Message::assistant(vec![
                Part::Reasoning(Reasoning::new("I think", opaque("b25l"))),
                Part::Reasoning(Reasoning::new("unsigned", None)),
                Part::Reasoning(Reasoning::new("foreign", foreign.clone())),
                Part::Text(Text::new("Hi").with_opaque(foreign)),
                Part::Text(Text::new(" you").with_opaque(opaque("dHdv"))),
                Part::Text(Text::new("").with_opaque(opaque("dGhyZWU="))),
                Part::text(""),
                Part::Unknown(Unknown::new("gemini", code)),
                Part::Unknown(Unknown::new("gemini", json!({ "setupComplete": {} }))),
                given("k7", "read", json!({ "id": "k7", "thoughtSignature": "Zm91cg==" })),
                given("call_0_1", "read", json!({})),
            ]),
            Message::results([result("call_0_1", "x"), result("k7", "y")]),
        ],
        r#"[{"role":"model","parts":[{"thought":true,"text":"I think","thoughtSignature":"b25l"},{"text":"Hi"},
           {"text":" you","thoughtSignature":"dHdv"},{"text":"","thoughtSignature":"dGhyZWU="},
           {"executableCode":{"code":"1","language":"PYTHON"}},
           {"functionCall":{"id":"k7","name":"read","args":{}},"thoughtSignature":"Zm91cg=="},
           {"functionCall":{"name":"read","args":{}}}]},
           {"role":"user","parts":[{"functionResponse":{"id":"k7","name":"read","response":{"output":"y"}}},
           {"functionResponse":{"name":"read","response":{"output":"x"}}}]}]"#,
    );
}

#[test]
fn images_and_files_are_sent_inline_or_by_url_for_both_roles() {
    let pictures = || {
        vec![
            Part::Image(Image::base64("application/pdf", "aGk=")),
            Part::Image(Image::url("video/mp4", "https://files.example/1")),
            Part::Image(Image::url("", "https://files.example/2")),
        ]
    };
    let parts = r#"[{"inlineData":{"mimeType":"application/pdf","data":"aGk="}},
        {"fileData":{"mimeType":"video/mp4","fileUri":"https://files.example/1"}},
        {"fileData":{"fileUri":"https://files.example/2"}}]"#;
    check(
        vec![Message::new(Role::User, pictures()), Message::assistant(pictures())],
        &[r#"[{"role":"user","parts":"#, parts, r#"},{"role":"model","parts":"#, parts, "}]"].concat(),
    );
}

#[test]
fn empty_messages_are_omitted_and_system_messages_become_user_messages() {
    check(
        vec![
            Message::user("a"),
            Message::assistant(vec![Part::Reasoning(Reasoning::new("foreign", None))]),
            Message::new(Role::System, vec![Part::text("b")]),
        ],
        r#"[{"role":"user","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"b"}]}]"#,
    );
}

// N4
#[track_caller]
fn check_history_name(name: &str, sent: &str) {
    let messages =
        vec![Message::assistant(vec![call("a", name, "{}")]), Message::results([result("a", "x")])];
    let contents: Value = serde_json::from_str(&contents_to("gemini-2.5-flash", messages)).unwrap();
    assert_eq!(contents[0]["parts"][0]["functionCall"]["name"], sent);
    assert_eq!(contents[1]["parts"][0]["functionResponse"]["name"], sent);
}

#[test]
fn names_that_a_model_made_up_do_not_stop_the_conversation() {
    check_history_name("mcp__a.b:c-d", "mcp__a.b:c-d");
    check_history_name("read file", "read_file");
    check_history_name("2nd", "_2nd");
    check_history_name("ü", "__");
    check_history_name(&"x".repeat(70), &"x".repeat(64));
}

// P2
#[track_caller]
fn check_signature(rules: Rules, model: &str, is_signed: bool) {
    let messages =
        vec![Message::assistant(vec![call("a", "read", "{}")]), Message::results([result("a", "x")])];
    let body = encode(GeminiOptions::default().with_rules(rules), &Request::new(model, messages));
    assert_eq!(body.contains("skip_thought_signature_validator"), is_signed, "{model}");
}

#[test]
fn the_rules_are_those_of_the_model_or_the_options() {
    check_signature(Rules::ByModel, "gemini-2.5-pro", false);
    check_signature(Rules::ByModel, "gemini-3-pro-preview", true);
    check_signature(Rules::ByModel, "publishers/google/models/gemini-3.1-flash", true);
    check_signature(Rules::ByModel, "gemini-10", true);
    check_signature(Rules::ByModel, "gemini-flash-latest", false);
    check_signature(Rules::SinceThree, "gemini-flash-latest", true);
    check_signature(Rules::BeforeThree, "gemini-3-pro-preview", false);
}
