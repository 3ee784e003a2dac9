//! Explicit caches.

use std::time::Duration;

use windlass_protocol::{Message, Request, ToolChoice, ToolName, WebSearch};
use windlass_testkit::wire_suite::{check_error, tool};
use windlass_wire::{CachesApi as _, Wire as _};
use windlass_wire_gemini::Gemini;

fn request(model: &str) -> Request {
    Request::new(model, vec![Message::user("A long book.")])
        .with_system("Be kind.")
        .with_tools(vec![tool("read")])
        .with_hosted_tools([WebSearch::default()])
        .with_max_output_tokens(9)
}

const TOOLS: &str = r#""tools":[{"functionDeclarations":[{"name":"read","description":"Does it.","parametersJsonSchema":{"type":"object","properties":{"z":{},"a":{}}}}]},{"googleSearch":{}}]"#;

#[test]
fn a_cache_is_created_with_the_prefix_and_a_time_to_live() {
    let body = Gemini::default()
        .encode_creation(&request("gemini-3-flash-preview"), Duration::from_mins(10))
        .unwrap();
    assert_eq!(Gemini::default().path(), "/cachedContents");
    let expected = format!(
        r#"{{"model":"models/gemini-3-flash-preview","systemInstruction":{{"parts":[{{"text":"Be kind."}}]}},{TOOLS},"contents":[{{"role":"user","parts":[{{"text":"A long book."}}]}}],"ttl":"600s"}}"#
    );
    assert_eq!(String::from_utf8_lossy(&body), expected);

    let mut alone = request("tunedModels/mine");
    alone.messages.clear();
    (alone.system, alone.tools, alone.options.hosted_tools) = (Some("Be kind.".into()), vec![], vec![]);
    let body = Gemini::default().encode_creation(&alone, Duration::from_millis(1_500)).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&body),
        r#"{"model":"tunedModels/mine","systemInstruction":{"parts":[{"text":"Be kind."}]},"ttl":"1s"}"#
    );
    let ttl = Gemini::default().encode_ttl(Duration::from_secs(30));
    assert_eq!(ttl, ("updateMask=ttl", r#"{"ttl":"30s"}"#.to_owned()));
}

#[test]
fn a_request_with_a_stored_cache_leaves_out_what_the_cache_has() {
    let mut request = request("gemini-3-flash-preview");
    request.options.stored_cache = Some("cachedContents/7".to_owned());
    let http = Gemini::default().encode(&request).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&http.body),
        r#"{"cachedContent":"cachedContents/7","generationConfig":{"maxOutputTokens":9},"contents":[{"role":"user","parts":[{"text":"A long book."}]}]}"#
    );
    assert_eq!(Gemini::default().check(&request), []);
    let named = request.clone().with_tool_choice(ToolChoice::Named(ToolName::new("read").unwrap()));
    check_error(&Gemini::default(), &named, "a tool choice beside the option `stored_cache`");
}
