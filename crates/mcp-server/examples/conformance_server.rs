//! A server for the published conformance suite of MCP (npm `@modelcontextprotocol/conformance`), with the
//! tools, resources and prompts whose names the suite knows. It prints its URL as a line of JSON.
//!
//! `npx @modelcontextprotocol/conformance server --url URL --suite all`
#![expect(clippy::print_stdout, reason = "a program of the test suite: it prints its address")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use windlass_mcp_server::{
    CallFuture, Caller, FormReply, HostError, HttpServerOptions, Prompt, PromptArgument, PromptFuture,
    PromptHost, PromptMessage, PromptRole, ReadFuture, Resource, ResourceChanges, ResourceContents,
    ResourceHost, ResourceTemplate, ToolHost, ToolServer,
};
use windlass_protocol::{Content, Hints, Image, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec};
use windlass_tool::Progress;

/// One red pixel.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// The names of the tools.
const TOOLS: [&str; 16] = [
    "json_schema_2020_12_tool",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_embedded_resource",
    "test_error_handling",
    "test_headers",
    "test_image_content",
    "test_input_required_result_elicitation",
    "test_input_required_result_multi_round",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_multiple_content_types",
    "test_simple_text",
    "test_streaming_elicitation",
    "test_tool_with_progress",
];

/// The prompt that asks its user.
const ASKING_PROMPT: &str = "test_input_required_result_prompt";

/// The tools, resources and prompts.
#[derive(Default)]
struct Suite {
    changes: ResourceChanges,
}

fn schema(tool: &str) -> Value {
    match tool {
        "json_schema_2020_12_tool" => json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        }),
        "test_elicitation" => json!({
            "type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"],
        }),
        // Clients repeat an argument with such a mark as a header of the HTTP request.
        "test_headers" => json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "query": {"type": "string"},
        }}),
        _ => json!({"type": "object", "properties": {}}),
    }
}

/// The schema of a form with one required field.
fn form_with_field(name: &str, kind: &str) -> Value {
    json!({"type": "object", "required": [name], "properties": {name: {"type": kind}}})
}

/// The schema of a form with two texts.
fn form_with_texts() -> Value {
    json!({"type": "object", "required": ["username", "email"], "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"}}})
}

/// The schema of a form whose fields have defaults.
fn form_with_defaults() -> Value {
    json!({"type": "object", "required": [], "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    }})
}

/// The schema of a form with each kind of choice.
fn form_with_choices() -> Value {
    let titled = |word: &str| {
        let choice =
            |(value, count): (&str, &str)| json!({"const": value, "title": format!("{count} {word}")});
        [("value1", "First"), ("value2", "Second"), ("value3", "Third")].map(choice)
    };
    json!({"type": "object", "required": [], "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array",
            "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    }})
}

fn picture() -> Content {
    Content::Image(Image::base64("image/png", PICTURE))
}

fn document(uri: &str, media_type: &str, text: &str) -> Content {
    Content::Resource { uri: uri.to_owned(), media_type: Some(media_type.to_owned()), text: text.to_owned() }
}

async fn fill(caller: &Caller, message: &str, schema: Value) -> Vec<Content> {
    let words = match caller.fill_form(message, schema).await {
        FormReply::Filled(value) => format!("action=accept, content={value}"),
        FormReply::Declined => "action=decline".to_owned(),
        FormReply::Nobody => "there is nobody to ask".to_owned(),
    };
    vec![Content::text(format!("Elicitation completed: {words}"))]
}

async fn run(call: &ToolCall, caller: &Caller) -> Result<Vec<Content>, String> {
    match call.name.as_str() {
        "test_simple_text" => Ok(vec![Content::text("This is a simple text response for testing.")]),
        "test_image_content" => Ok(vec![picture()]),
        "test_embedded_resource" => {
            let text = "This is an embedded resource content.";
            Ok(vec![document("test://embedded-resource", "text/plain", text)])
        }
        "test_multiple_content_types" => Ok(vec![
            Content::text("Multiple content types test:"),
            picture(),
            document("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]),
        "test_error_handling" => Err("This tool intentionally returns an error for testing".to_owned()),
        "test_tool_with_progress" => {
            for part in ["0 of 100", "50 of 100", "100 of 100"] {
                caller.tell(Progress::Note(part.to_owned()));
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok(vec![Content::text("all of it")])
        }
        "test_elicitation" => {
            let arguments: Value = serde_json::from_str(&call.payload.text()).unwrap_or_default();
            let message = arguments.get("message").and_then(Value::as_str).unwrap_or("Who?");
            Ok(fill(caller, message, form_with_texts()).await)
        }
        "test_elicitation_sep1034_defaults" => Ok(fill(caller, "Defaults?", form_with_defaults()).await),
        "test_elicitation_sep1330_enums" => Ok(fill(caller, "Choices?", form_with_choices()).await),
        "test_streaming_elicitation" => Ok(run_rounds(call.name.as_str(), caller).await),
        name if name.starts_with("test_input_required_result_") => Ok(run_rounds(name, caller).await),
        _ => Ok(vec![Content::text("called")]),
    }
}

/// Runs a tool whose client answers with its next request.
async fn run_rounds(name: &str, caller: &Caller) -> Vec<Content> {
    let forms: &[(&str, &str, &str, &str)] = match name {
        "test_input_required_result_elicitation" => &[("user_name", "What is your name?", "name", "string")],
        "test_input_required_result_multi_round" => &[
            ("step1", "Step 1: What is your name?", "name", "string"),
            ("step2", "Step 2: What is your favorite color?", "color", "string"),
        ],
        _ => &[("confirm", "Please confirm", "ok", "boolean")],
    };
    let mut content = Vec::new();
    for (key, message, field, kind) in forms {
        let reply = caller.fill_named_form(*key, *message, form_with_field(field, kind)).await;
        content.push(Content::text(format!("state-ok: {key}: {reply:?}")));
    }
    content
}

impl ToolHost for Suite {
    fn tools(&self) -> Vec<(ToolSpec, Hints)> {
        let spec = |name: &str| {
            let schema = schema(name).to_string().parse().ok()?;
            let name = ToolName::new(name).ok()?;
            Some((ToolSpec::function(name, "For the conformance suite.", schema), Hints::read_only()))
        };
        TOOLS.into_iter().filter_map(spec).collect()
    }

    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture {
        Box::pin(async move {
            match run(&call, &caller).await {
                Ok(content) => ToolResult::new(call.id.clone(), ResultStatus::Ok, content),
                Err(why) => ToolResult::text(call.id.clone(), ResultStatus::Error, why),
            }
        })
    }
}

impl ResourceHost for Suite {
    fn resources(&self) -> Vec<Resource> {
        vec![
            Resource::new("test://static-text", "static-text")
                .with_description("A text.")
                .with_media_type("text/plain"),
            Resource::new("test://static-binary", "static-binary")
                .with_description("A picture.")
                .with_media_type("image/png"),
        ]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new("test://template/{id}/data", "template");
        vec![template.with_description("A value by its id.").with_media_type("application/json")]
    }

    fn changes(&self) -> Option<ResourceChanges> {
        Some(self.changes.clone())
    }

    fn read(self: Arc<Self>, uri: String) -> ReadFuture {
        Box::pin(async move {
            let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
            let contents = match (uri.as_str(), id) {
                ("test://static-text", _) => {
                    ResourceContents::text(&uri, "This is the content of the static text resource.")
                        .with_media_type("text/plain")
                }
                ("test://static-binary", _) => {
                    ResourceContents::base64(&uri, PICTURE).with_media_type("image/png")
                }
                (_, Some(id)) => {
                    let value = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                    ResourceContents::text(&uri, value.to_string()).with_media_type("application/json")
                }
                _ => return Err(HostError::NotFound),
            };
            Ok(vec![contents])
        })
    }
}

impl PromptHost for Suite {
    fn prompts(&self) -> Vec<Prompt> {
        let required = |name: &str, words: &str| PromptArgument::new_required(name).with_description(words);
        vec![
            Prompt::new("test_simple_prompt").with_description("A text."),
            Prompt::new("test_prompt_with_arguments")
                .with_description("A text with two arguments.")
                .with_argument(required("arg1", "First test argument"))
                .with_argument(required("arg2", "Second test argument")),
            Prompt::new("test_prompt_with_embedded_resource")
                .with_description("A document.")
                .with_argument(required("resourceUri", "URI of the document")),
            Prompt::new("test_prompt_with_image").with_description("A picture."),
            Prompt::new(ASKING_PROMPT).with_description("A text with the context that the user states."),
        ]
    }

    fn fill_for(
        self: Arc<Self>,
        name: String,
        arguments: BTreeMap<String, String>,
        caller: Caller,
    ) -> PromptFuture {
        if name != ASKING_PROMPT {
            return self.fill(name, arguments);
        }
        Box::pin(async move {
            let (message, schema) =
                ("What context should the prompt use?", form_with_field("context", "string"));
            match caller.fill_named_form("user_context", message, schema).await {
                FormReply::Filled(value) => Ok(vec![PromptMessage::user(format!("The context is {value}."))]),
                other => Err(HostError::Failed(format!("the context is missing: {other:?}"))),
            }
        })
    }

    fn fill(self: Arc<Self>, name: String, arguments: BTreeMap<String, String>) -> PromptFuture {
        Box::pin(async move {
            let argument = |name: &str| arguments.get(name).cloned().unwrap_or_default();
            let user = |content| PromptMessage::new(PromptRole::User, content);
            Ok(match name.as_str() {
                "test_simple_prompt" => vec![PromptMessage::user("This is a simple prompt for testing.")],
                "test_prompt_with_arguments" => {
                    let (first, second) = (argument("arg1"), argument("arg2"));
                    let text = format!("Prompt with arguments: arg1='{first}', arg2='{second}'");
                    vec![PromptMessage::user(text)]
                }
                "test_prompt_with_embedded_resource" => {
                    let (uri, text) = (argument("resourceUri"), "Embedded resource content for testing.");
                    let request = PromptMessage::user("Please process the embedded resource above.");
                    vec![user(document(&uri, "text/plain", text)), request]
                }
                _ => vec![user(picture()), PromptMessage::user("Please analyze the image above.")],
            })
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", json!({"url": format!("http://{}/mcp", listener.local_addr()?)}));
    let suite = Arc::new(Suite::default());
    let server = ToolServer::new(suite.clone()).with_resources(suite.clone()).with_prompts(suite);
    let server = server.with_name("windlass-conformance", env!("CARGO_PKG_VERSION"));
    server.serve_http(listener, HttpServerOptions::allow_without_token(), CancellationToken::new()).await?;
    Ok(())
}
