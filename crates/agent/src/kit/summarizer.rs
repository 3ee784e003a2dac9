//! Conformance of summarizers.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use windlass_protocol::kit::RuleViolation;
use windlass_protocol::{
    Arguments, CallId, Content, Message, Part, Payload, Request, ResultStatus, Role, ToolCall, ToolName,
    ToolResult,
};

use super::SummarizerRule;
use crate::Summarizer;

type RuleResult<T = ()> = Result<T, RuleViolation<SummarizerRule>>;

/// The longest time of one summary.
const LONGEST: Duration = Duration::from_mins(1);
/// The number of turns of the long conversation.
const TURNS: usize = 40;
/// The instruction that compaction appends to a conversation.
const INSTRUCTION: &str = "Summarize what happened so far.";

/// Checks a summarizer with a long conversation, a conversation with calls, and one that has an instruction only.
///
/// ```
/// use windlass_agent::kit::check_summarizer;
/// # use windlass_agent::{HookFuture, Summarizer};
/// # use windlass_protocol::Request;
/// # struct FirstWords;
/// # impl Summarizer for FirstWords {
/// #     fn summarize<'a>(&'a self, request: &'a Request) -> HookFuture<'a, Option<String>> {
/// #         let first = request.messages.iter().next().map(|message| message.text());
/// #         Box::pin(async move { first })
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// check_summarizer(&FirstWords).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the first rule that the summarizer does not follow.
pub async fn check_summarizer(summarizer: &dyn Summarizer) -> RuleResult {
    for conversation in [with_calls(), Some(vec![Message::user(INSTRUCTION)])].into_iter().flatten() {
        summarize(summarizer, &Request::new("kit-1", conversation)).await?;
    }
    let long = long();
    let length: usize = long.iter().map(|message| message.text().len()).sum();
    let request = Request::new("kit-1", long);
    check_text(summarize(summarizer, &request).await?, length, SummarizerRule::ReturnsText)?;
    let dropped = AssertUnwindSafe(summarizer.summarize(&request)).catch_unwind().now_or_never();
    drop(dropped);
    check_text(summarize(summarizer, &request).await?, length, SummarizerRule::SurvivesDrops)
}

/// Checks the summary of a conversation with this number of bytes.
fn check_text(summary: Option<String>, length: usize, rule: SummarizerRule) -> RuleResult {
    let Some(text) = summary.filter(|text| !text.trim().is_empty()) else {
        return Err(RuleViolation::new(rule, format!("{TURNS} turns have no summary")));
    };
    if text.len() > length / 2 {
        let found = format!("the summary of {length} bytes has {} bytes", text.len());
        return Err(RuleViolation::new(SummarizerRule::Shortens, found));
    }
    Ok(())
}

async fn summarize(summarizer: &dyn Summarizer, request: &Request) -> RuleResult<Option<String>> {
    let summary = AssertUnwindSafe(async { summarizer.summarize(request).await }).catch_unwind();
    match tokio::time::timeout(LONGEST, summary).await {
        Ok(Ok(summary)) => Ok(summary),
        Ok(Err(_)) => {
            let found = format!("a conversation of {} messages caused a panic", request.messages.len());
            Err(RuleViolation::new(SummarizerRule::NeverPanics, found))
        }
        Err(_) => {
            Err(RuleViolation::new(SummarizerRule::Ends, format!("no summary arrived within {LONGEST:?}")))
        }
    }
}

fn long() -> Vec<Message> {
    let mut messages = Vec::new();
    for turn in 0..TURNS {
        let place = "the crate, its tests, its documents, é, 日本語 and 👩‍👩‍👧‍👦";
        messages.push(Message::user(format!("Change file number {turn} in {place}.")));
        let answer = format!(
            "I changed file number {turn}. The tests of {place} passed, and the documents are up to date."
        );
        messages.push(Message::assistant(vec![Part::text(answer)]));
    }
    messages.push(Message::user(INSTRUCTION));
    messages
}

/// Returns a conversation with a call and its result, and an empty message.
fn with_calls() -> Option<Vec<Message>> {
    let (id, name) = (CallId::new("call_1").ok()?, ToolName::new("read_file").ok()?);
    let arguments = Arguments::parse(r#"{"path":"a\u0000.txt"}"#).ok()?;
    let call = ToolCall::new(id.clone(), name, Payload::Function { arguments });
    let result = ToolResult::new(id, ResultStatus::Ok, vec![Content::text("")]);
    Some(vec![
        Message::user(""),
        Message::assistant(vec![Part::Call(call)]),
        Message::new(Role::Tool, vec![Part::Result(result)]),
        Message::user(INSTRUCTION),
    ])
}
