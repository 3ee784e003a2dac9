//! Facts that are learned from refusals, with the messages of real servers.

use windlass_wire::ProviderErrorKind;

use super::*;

const SENT: &str = r#"{"model":"m","max_tokens":9,"temperature":0.2,"stop":["x"],"stream":true,
    "stream_options":{"include_usage":true},"tool_choice":"required","parallel_tool_calls":false,
    "response_format":{"type":"json_schema"},"include":["reasoning.encrypted_content"],"user":"me",
    "generationConfig":{"temperature":0.2},"tools":[{}],"messages":[{"content":[{"type":"image_url"}]}]}"#;

fn learned(status: u16, message: &str, parameter: Option<&str>, body: &str) -> Option<ParameterRejection> {
    let error = ProviderError::new(ProviderErrorKind::Request, None, message)
        .with_parameter(parameter.map(str::to_owned));
    parse_rejection(status, &error, body.as_bytes(), SENT.as_bytes(), 0)
}

#[track_caller]
fn check(
    message: &str,
    parameter: Option<&str>,
    expected: &str,
    remedy: impl Into<Option<Remedy>>,
    missing: &[Ability],
) {
    let fact = learned(400, message, parameter, "{}").unwrap();
    assert_eq!((fact.parameter.as_str(), &fact.remedy), (expected, &remedy.into()), "{message}");
    let abilities: Vec<Ability> =
        fact.abilities.iter().filter(|(_, has)| !**has).map(|(ability, _)| *ability).collect();
    assert_eq!(abilities, missing, "{message}");
}

#[track_caller]
fn check_nothing(status: u16, message: &str, parameter: Option<&str>) {
    assert_eq!(learned(status, message, parameter, "{}"), None, "{message}");
}

// L9
#[test]
fn a_parameter_that_is_refused_by_name_is_dropped() {
    let drop = || Some(Remedy::Drop);
    let words = "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.";
    check(words, Some("temperature"), "temperature", drop(), &[]);
    check(words, None, "temperature", drop(), &[]);
    check(
        "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
        Some("parallel_tool_calls"),
        "parallel_tool_calls",
        drop(),
        &[Ability::ParallelCalls],
    );
    check(
        "Unrecognized request argument supplied: parallel_tool_calls",
        None,
        "parallel_tool_calls",
        drop(),
        &[Ability::ParallelCalls],
    );
    check(
        "No endpoints found that support the provided 'tool_choice' value.",
        None,
        "tool_choice",
        drop(),
        &[Ability::ForcedToolChoice],
    );
    check("property 'stop' is unsupported", Some("validation_error"), "stop", drop(), &[]);
    check("stream_options is only allowed when stream is enabled", None, "stream_options", drop(), &[]);
    check(
        "Unknown name \"temperature\" at 'generation_config'",
        Some("generation_config.temperature"),
        "generationConfig.temperature",
        drop(),
        &[],
    );
}

#[test]
fn a_validators_place_counts() {
    for body in [
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
        r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}}"#,
    ] {
        let fact = learned(422, "Extra inputs are not permitted", None, body).unwrap();
        assert_eq!((fact.parameter.as_str(), fact.remedy), ("stream_options", Some(Remedy::Drop)));
    }
    // A position inside of a message is not a parameter.
    let body = r#"{"detail":[{"type":"extra_forbidden","loc":["body","messages",0,"user","stop"]}]}"#;
    assert_eq!(learned(422, "Extra inputs are not permitted", None, body), None);
}

// https://openrouter.ai/docs/api/reference/errors-and-debugging
#[test]
fn the_nested_upstream_error_is_parsed() {
    let raw = r#"{\"error\":{\"message\":\"Unsupported parameter: 'parallel_tool_calls' is not supported with this model.\"}}"#;
    let body = format!(
        r#"{{"error":{{"message":"Provider returned error","code":400,"metadata":{{"raw":"{raw}"}}}}}}"#
    );
    let fact = learned(400, "Provider returned error", None, &body).unwrap();
    assert_eq!((fact.parameter.as_str(), fact.remedy), ("parallel_tool_calls", Some(Remedy::Drop)));
    assert_eq!(learned(400, "Provider returned error", None, "{}"), None);
}

#[test]
fn a_rejected_token_limit_is_renamed_only_if_a_name_is_suggested() {
    let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let to = Some(Remedy::Rename("max_completion_tokens".to_owned()));
    check(words, Some("max_tokens"), "max_tokens", to, &[]);
    check_nothing(400, "max_tokens is not supported", Some("max_tokens"));
}

#[test]
fn a_refused_encrypted_content_drops_the_include_item() {
    let item = Some(Remedy::DropItem("reasoning.encrypted_content".to_owned()));
    check("Encrypted content is not supported with this model.", Some("include"), "include", item, &[]);
    check_nothing(400, "Unsupported value in include", Some("include"));
}

#[test]
fn a_rejected_strict_field_sets_the_no_strict_quirk() {
    let quirk = || Some(Remedy::Quirk(Quirk::NoStrict));
    check(
        "Invalid value: 'true'. The value 'true' isn't supported yet.",
        Some("tools[0].function.strict"),
        "strict",
        quirk(),
        &[],
    );
    check("unknown field: parameter 'strict' is not a valid field", None, "strict", quirk(), &[]);
}

#[test]
fn a_refused_cache_marker_anywhere_sets_no_prompt_cache() {
    let quirk = || Some(Remedy::Quirk(Quirk::NoPromptCache));
    for (words, place) in [
        ("system.0.cache_control: Extra inputs are not permitted", None),
        ("Extra inputs are not permitted", Some("tools.3.cache_control")),
        ("unknown field: parameter 'cache_control' is not a valid field", None),
    ] {
        check(words, place, "cache_control", quirk(), &[]);
    }
    let words = "Unknown parameter: 'input[0].content[0].prompt_cache_breakpoint'.";
    check(
        words,
        Some("input[0].content[0].prompt_cache_breakpoint"),
        "prompt_cache_breakpoint",
        quirk(),
        &[],
    );
}

#[test]
fn eager_arguments_are_omitted() {
    let quirk = || Some(Remedy::Quirk(Quirk::NoEagerArguments));
    for (words, place) in [
        ("tools.0.custom.eager_input_streaming: Extra inputs are not permitted", None),
        ("Extra inputs are not permitted", Some("tools.3.eager_input_streaming")),
        ("unknown field: parameter 'eager_input_streaming' is not a valid field", None),
    ] {
        check(words, place, "eager_input_streaming", quirk(), &[]);
    }
}

// L9: a missing ability is reported, not hidden.
#[test]
fn tools_are_never_dropped() {
    for words in [
        "No endpoints found that support tool use. To learn more about provider routing, visit: https://example.com",
        "registry.ollama.ai/library/gemma:2b does not support tools",
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
        "`tool calling` is not supported with this model",
        "tools param requires --jinja flag",
    ] {
        check(words, None, "tools", None, &[Ability::NativeTools]);
    }
    check("Unsupported parameter", Some("tools"), "tools", None, &[Ability::NativeTools]);
    check("No endpoints found that support image input", None, "images", None, &[Ability::Images]);
}

// P5: a rejected `response_format` is the missing ability `StructuredOutput`, not a parameter that can be dropped.
#[test]
fn a_form_of_answers_is_an_ability() {
    let words = "This response_format type is unavailable now";
    check(words, None, "response_format", None, &[Ability::StructuredOutput]);
    let error = ProviderError::new(ProviderErrorKind::Request, None, words);
    let sent = br#"{"response_format":{"type":"json_object"}}"#;
    let fact = parse_rejection(400, &error, b"{}", sent, 0).unwrap();
    assert_eq!(fact.abilities, deny(Ability::JsonOutput));
}

#[test]
fn an_invalid_value_yields_no_fact() {
    check_nothing(
        400,
        "Invalid schema for function 'x': unsupported keyword",
        Some("tools[0].function.parameters"),
    );
    check_nothing(400, "temperature must be between 0 and 2", Some("temperature"));
    check_nothing(400, "the model does not support this user's messages", Some("messages"));
    check_nothing(400, "this user is not supported", None);
    check_nothing(
        400,
        "messages[1].content: unsupported part, 'stop' is expected",
        Some("messages[1].content"),
    );
    check_nothing(400, "model is not supported", Some("model"));
    check_nothing(400, "seed is not supported", Some("seed"));
    check_nothing(401, "temperature is not supported", Some("temperature"));
    check_nothing(500, "temperature is not supported", Some("temperature"));
}

// One such refusal switched native calls off for a week.
#[test]
fn a_rejected_parameter_or_mode_does_not_disable_tools() {
    let drop = || Some(Remedy::Drop);
    let words = "This model does not support tool_choice \"required\".";
    for parameter in [Some("tool_choice"), None] {
        check(words, parameter, "tool_choice", drop(), &[Ability::ForcedToolChoice]);
    }
    for words in [
        "This model does not support tool use in streaming mode.",
        "The model does not support tools together with response schemas",
        "does not support function calling when thinking is on",
        "does not support tools with streaming",
        "tool calling is not supported with a grammar",
        "Unsupported tools[0].type",
    ] {
        check_nothing(400, words, None);
    }
    check_nothing(400, "Unknown field 'strictness' in tools[3]", Some("tools"));
    check_nothing(400, "Invalid 'tools': schema of 'x' has an unsupported keyword", Some("tools"));
    check("tools is not supported for this model", Some("tools"), "tools", None, &[Ability::NativeTools]);
    check("Function calling is not enabled for models/gemma-3", None, "tools", None, &[Ability::NativeTools]);
}

#[test]
fn a_rejected_image_does_not_disable_images() {
    for words in [
        "Invalid image input: unsupported media format image/tiff",
        "does not support images larger than 5 MB",
        "The model does not support image URLs",
        "unsupported image input size",
    ] {
        check_nothing(400, words, None);
    }
    check("This model does not support images.", None, "images", None, &[Ability::Images]);
    check("image input is not supported by this model", None, "images", None, &[Ability::Images]);
    let error = ProviderError::new(ProviderErrorKind::Request, None, "This model does not support images.");
    assert_eq!(parse_rejection(400, &error, b"{}", br#"{"messages":[]}"#, 0), None, "no picture was sent");
}

#[test]
fn a_rejected_schema_does_not_disable_structured_output() {
    let words = "Invalid schema for response_format 'math': In context=(), 'oneOf' is not permitted.";
    check_nothing(400, words, Some("response_format"));
    let words =
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
    check(words, None, "response_format", None, &[Ability::StructuredOutput]);
}

#[test]
fn a_rejected_custom_tool_sets_the_functions_only_quirk() {
    let sent = br#"{"model":"m","messages":[],"tools":[{"type":"function"},{"type":"custom"}]}"#;
    let of = |words: &str, parameter: Option<&str>| {
        let error = ProviderError::new(ProviderErrorKind::Request, None, words)
            .with_parameter(parameter.map(str::to_owned));
        parse_rejection(400, &error, b"{}", sent, 0).map(|fact| (fact.parameter, fact.remedy))
    };
    let quirk = Some(("tools.custom".to_owned(), Some(Remedy::Quirk(Quirk::NoFreeTextTools))));
    let words = "Invalid value: 'custom'. Supported values are: 'function'.";
    assert_eq!(of(words, Some("tools[1].type")), quirk);
    assert_eq!(of("'function' is a required property, expected an object - 'tools.7'", None), quirk);
    assert_eq!(
        of("Invalid request: [json.exception.out_of_range.403] key 'function' not found", None),
        quirk
    );
    assert_eq!(of("temperature must be between 0 and 2", None), None);
    check_nothing(400, words, Some("tools[1].type"));
}
