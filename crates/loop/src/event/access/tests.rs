//! The name and the contents of an event.

use serde_json::Value;
use windlass_protocol::{Arguments, CallId, ResultStatus, ToolCall, ToolName, ToolResult, Usage};

use crate::{Event, Outcome};

fn events() -> Vec<Event> {
    let (id, name) = (CallId::new("call_1").unwrap(), ToolName::new("read").unwrap());
    let call = ToolCall::function(id.clone(), name.clone(), Arguments::default());
    let result = ToolResult::text(id.clone(), ResultStatus::Ok, "fine");
    vec![
        Event::Text { text: "a".into() },
        Event::TextEnded,
        Event::CallStarted { call: id.clone(), name },
        Event::CallFinished { call: call.clone() },
        Event::CallTakenUp { call },
        Event::CallNote { call: id.clone(), text: "b".into() },
        Event::AgentEvent { call: id, agents: Vec::new(), happened: Value::Null },
        Event::CallEnded { result },
        Event::ContextCondensing,
        Event::Finished { outcome: Outcome::Completed { text: "a".into() }, total: Usage::default() },
    ]
}

#[test]
fn the_name_of_an_event_is_that_of_its_json() {
    for event in events() {
        let json = serde_json::to_value(&event).unwrap();
        assert_eq!(json["event"], event.name());
        assert!(Event::NAMES.contains(&event.name()));
    }
    // Serde reads each name as a variant; without fields it reports the first missing one.
    for name in Event::NAMES {
        let read = serde_json::from_value::<Event>(serde_json::json!({ "event": name }));
        assert!(read.err().is_none_or(|error| !error.to_string().contains("unknown variant")), "{name}");
    }
    let unknown = serde_json::from_str::<Event>(r#"{"event": "no_event"}"#).unwrap_err();
    assert!(unknown.to_string().contains("unknown variant"));
}

#[test]
fn an_event_gives_its_call_text_and_result() {
    let events = events();
    let calls: Vec<bool> = events.iter().map(|event| event.call_id().is_some()).collect();
    assert_eq!(calls, [false, false, true, true, true, true, true, true, false, false]);
    assert_eq!(events.iter().filter_map(Event::text_delta).collect::<Vec<_>>(), ["a"]);
    assert_eq!(events.iter().filter_map(Event::new_call).count(), 2);
    assert_eq!(events.iter().filter_map(Event::call_result).count(), 1);
}
