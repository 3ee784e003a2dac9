//! A checker of the order of AG-UI's events.

use std::collections::BTreeSet;

use serde_json::Value;

/// Checks that a stream has a legal order, and that its last run is over. Returns the types.
pub(crate) fn check(events: &[Value]) -> Vec<&str> {
    let mut open = BTreeSet::new();
    let (mut agents, mut ended_agents) = (BTreeSet::new(), BTreeSet::new());
    let mut is_running = false;
    for event in events {
        let kind = event["type"].as_str().unwrap();
        assert_eq!(is_running, kind != "RUN_STARTED", "{event}");
        let id = |name: &str| event[name].as_str().unwrap_or_else(|| panic!("{event}")).to_owned();
        let key = match kind.split('_').next().unwrap() {
            "TEXT" => format!("text {}", id("messageId")),
            "STEP" => format!("step {}", id("stepName")),
            "TOOL" => format!("call {}", id("toolCallId")),
            "REASONING" if kind.starts_with("REASONING_MESSAGE") => format!("reasoning {}", id("messageId")),
            "REASONING" => format!("span {}", id("messageId")),
            _ => String::new(),
        };
        match kind {
            "RUN_STARTED" => is_running = true,
            "RUN_FINISHED" => {
                assert!(open.is_empty() && agents.is_empty(), "{open:?} {agents:?}");
                is_running = false;
                ended_agents.clear();
            }
            "RUN_ERROR" => {
                is_running = false;
                (open, agents, ended_agents) = Default::default();
            }
            "SUBAGENT_STARTED" => {
                assert!(!ended_agents.contains(&id("subagentRunId")), "{event}");
                assert!(agents.insert(id("subagentRunId")), "{event}");
            }
            "SUBAGENT_FINISHED" => {
                assert!(agents.remove(&id("subagentRunId")), "{event}");
                ended_agents.insert(id("subagentRunId"));
            }
            "CUSTOM" | "STATE_SNAPSHOT" | "TOOL_CALL_RESULT" => {}
            _ if kind.ends_with("_START") || kind.ends_with("_STARTED") => {
                assert!(open.insert(key), "{event}");
            }
            _ if kind.ends_with("_END") || kind.ends_with("_FINISHED") => {
                assert!(open.remove(&key), "{event}");
            }
            _ => {
                assert!(open.contains(&key), "{event}");
                assert!(!event["delta"].as_str().unwrap().is_empty(), "{event}");
            }
        }
    }
    assert!(!is_running, "the last run is not over");
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}
