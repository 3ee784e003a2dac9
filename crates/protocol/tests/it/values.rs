//! Tests of ids, names, raw JSON and the text of a result.

use windlass_protocol::{
    CallId, Content, IdError, Image, NameError, RawJson, ResultStatus, ToolName, ToolResult, Usage,
};

#[test]
fn ids_and_names_have_their_limits() {
    assert_eq!(CallId::new(""), Err(IdError::Empty));
    assert!(CallId::new("x".repeat(1024)).is_ok());
    assert_eq!(CallId::new("x".repeat(1025)), Err(IdError::TooLong { len: 1025 }));
    assert_eq!(ToolName::new(""), Err(NameError::Empty));
    assert!(ToolName::new("a.b/c d-ü").is_ok());
    assert_eq!(ToolName::new("a\0b"), Err(NameError::Control { at: 1 }));
    assert!(matches!(ToolName::new("x".repeat(257)), Err(NameError::TooLong { len: 257 })));
    assert_ne!(CallId::synthesize(1, 11), CallId::synthesize(11, 1));
}

#[test]
fn raw_json_keeps_order_and_digits() {
    let text = r#"{"b":1,"a":1.10,"c":123456789012345678901}"#;
    let raw: RawJson = text.parse().unwrap();
    assert_eq!(serde_json::to_string(&raw).unwrap(), text);
    assert_eq!(serde_json::from_str::<RawJson>(text).unwrap(), raw);
    assert!("{".parse::<RawJson>().is_err());
}

#[test]
fn raw_json_stays_on_one_line() {
    let text = "{\n \"a\": [1,\r\n2], \"b\": \"x\\ny\"\n}";
    for raw in [text.parse::<RawJson>().unwrap(), serde_json::from_str(text).unwrap()] {
        assert!(!raw.as_str().contains(['\n', '\r']), "{}", raw.as_str());
        assert_eq!(raw.to_value(), serde_json::from_str::<serde_json::Value>(text).unwrap());
    }
}

fn result(status: ResultStatus, content: Vec<Content>) -> String {
    ToolResult::new(CallId::new("c").unwrap(), status, content).wire_text()
}

// P6: the text of a result is never empty, and states a status other than `Ok`.
#[test]
fn the_text_of_a_result_is_never_empty() {
    let image = || Content::Image(Image::base64("image/png", "AA=="));
    assert_eq!(result(ResultStatus::Ok, vec![]), "(no output)");
    assert_eq!(result(ResultStatus::Ok, vec![Content::text("")]), "(no output)");
    assert_eq!(result(ResultStatus::Cancelled, vec![]), "[cancelled] (no output)");
    assert_eq!(result(ResultStatus::Ok, vec![image()]), "(see the image)");
    assert_eq!(result(ResultStatus::Ok, vec![Content::text("a"), image()]), "a");
    assert_eq!(result(ResultStatus::Ok, vec![image(), Content::text("a"), Content::text("b")]), "a\nb");
    assert_eq!(result(ResultStatus::Error, vec![Content::text("a")]), "[error] a");
}

#[test]
fn every_status_has_one_name_in_texts_and_journals() {
    let all = [
        ResultStatus::Ok,
        ResultStatus::Error,
        ResultStatus::Denied,
        ResultStatus::NotStarted,
        ResultStatus::Cancelled,
        ResultStatus::EffectsUnknown,
        ResultStatus::TimedOut,
        ResultStatus::TruncatedArguments,
        ResultStatus::InvalidArguments,
        ResultStatus::UnknownTool,
    ];
    for status in all {
        // A status has the same name in texts and in journals.
        assert_eq!(serde_json::to_string(&status).unwrap(), format!("\"{}\"", status.as_str()));
    }
}

#[test]
fn tokens_add_up_and_never_overflow() {
    let mut usage = Usage { input_tokens: u64::MAX, ..Usage::default() };
    usage.add(&Usage { input_tokens: 1, output_tokens: 2, ..Usage::default() });
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.total()), (u64::MAX, 2, u64::MAX));
}
