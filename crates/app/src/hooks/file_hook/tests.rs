//! The hooks of files follow the rules of the conformance kit.

use std::path::Path;

use serde_json::json;
use windlass_agent::kit::{HookExamples, check_hook};
use windlass_agent::{EndedCall, Hook as _, HookContext, HookPoint, HookVerdict, HookedCall};
use windlass_hitl::{ApprovalHistory, Grants, Policy, PolicyInput, decide};
use windlass_protocol::{
    Arguments, CallId, Effect, Hints, Message, Request, ResultStatus, ToolCall, ToolName, ToolResult,
};
use windlass_tools_shell::Shell;

use super::FileHooks;
use crate::hooks::definition::{HookOwner, parse};
use crate::hooks::load::HookList;
use crate::hooks::runner::HookRun;
use crate::notices::Notices;

/// A call of a tool, its decision, and its result.
fn examples() -> HookExamples {
    let (id, name) = (CallId::new("call_1").unwrap(), ToolName::new("write_file").unwrap());
    let arguments = json!({"path": "a.txt", "content": "one"}).to_string();
    let call = ToolCall::function(id.clone(), name.clone(), Arguments::parse(arguments).unwrap());
    let facts = PolicyInput::new(name, Hints::default(), &call, vec![Effect::Internal]);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    let mut examples = HookExamples::default();
    examples.calls.push(HookedCall::new(call.clone(), facts, decision));
    examples.results.push(EndedCall::new(call, ToolResult::text(id, ResultStatus::Ok, "done")));
    examples.answers.push("It is done.".to_owned());
    examples.messages.push(Message::user("Write a.txt."));
    examples
}

fn run(root: &Path) -> HookRun {
    HookRun {
        root: root.to_owned(),
        session: None,
        transcript: None,
        source: "startup",
        permission_mode: "default",
        model: "mock-1".to_owned(),
        until_done: false,
    }
}

/// The hooks of a file with one command for each event of the agent.
fn hooks(root: &Path, command: &str) -> FileHooks {
    let events =
        ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact", "SessionEnd"];
    let group = json!([{"hooks": [{"type": "command", "command": command}]}]);
    let events: serde_json::Map<_, _> =
        events.into_iter().map(|event| (event.to_owned(), group.clone())).collect();
    let text = json!({ "hooks": events }).to_string();
    let parsed = parse(&text, HookOwner::User, Path::new("hooks.json")).unwrap();
    assert!(parsed.unsupported.is_empty(), "{:?}", parsed.unsupported);
    let list = HookList { hooks: parsed.hooks, ..HookList::default() };
    FileHooks::new(list, run(root), &Shell::new_unconfined(), &Notices::default(), true).unwrap()
}

#[tokio::test]
async fn hooks_of_files_conform() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        "cat > /dev/null",
        "echo 'a reason' >&2; exit 2",
        "exit 1",
        "echo '{\"decision\": \"block\", \"reason\": \"not now\"}'",
        "echo '{broken'",
    ] {
        let hooks = hooks(folder.path(), command);
        let checked = check_hook(&hooks, &examples()).await;
        assert!(checked.is_ok(), "{command}: {}", checked.unwrap_err());
    }
}

/// The hooks of a file with a reminder after a compaction.
fn reminder(root: &Path) -> FileHooks {
    let command = "cat >> seen.jsonl; echo >> seen.jsonl; echo 'Use Bun, not npm.'";
    let group = json!([{"matcher": "compact", "hooks": [{"type": "command", "command": command}]}]);
    let text = json!({ "hooks": { "SessionStart": group } }).to_string();
    let parsed = parse(&text, HookOwner::User, Path::new("hooks.json")).unwrap();
    let list = HookList { hooks: parsed.hooks, ..HookList::default() };
    FileHooks::new(list, run(root), &Shell::new_unconfined(), &Notices::default(), false).unwrap()
}

#[tokio::test]
async fn a_reminder_is_part_of_the_first_result_or_message_after_a_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let hooks = reminder(folder.path());
    let examples = examples();
    let (result, message) = (&examples.results[0], &examples.messages[0]);
    let request = Request::new("mock-1", vec![Message::user("Write a.txt.")]);
    for point in [HookPoint::Compaction, HookPoint::Input, HookPoint::Result] {
        assert!(hooks.points().contains(&point), "{point:?}");
    }
    let agent = HookContext::new("r", vec!["explorer".to_owned()]);
    let session = HookContext::new("r", Vec::new());
    // The start is not a compaction, and the compaction of a sub-agent is not one of the session.
    assert_eq!(hooks.check_input(&session, message).await, HookVerdict::Continue);
    hooks.observe_compaction(&agent, &request).await;
    assert_eq!(hooks.check_result(&session, result).await, HookVerdict::Continue);
    for _ in 0..2 {
        hooks.observe_compaction(&session, &request).await;
        assert_eq!(hooks.check_result(&agent, result).await, HookVerdict::Continue);
        let HookVerdict::Rewrite(changed) = hooks.check_result(&session, result).await else { panic!() };
        assert!(changed.wire_text().contains("Use Bun, not npm."), "{}", changed.wire_text());
        assert_eq!(hooks.check_result(&session, result).await, HookVerdict::Continue);
    }
    hooks.observe_compaction(&session, &request).await;
    let HookVerdict::Rewrite(changed) = hooks.check_input(&session, message).await else { panic!() };
    assert!(changed.text().contains("Use Bun, not npm."), "{}", changed.text());
    let seen = std::fs::read_to_string(folder.path().join("seen.jsonl")).unwrap();
    assert_eq!(seen.matches(r#""source":"compact""#).count(), 3, "{seen}");
}
