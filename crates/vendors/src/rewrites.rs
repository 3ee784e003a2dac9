//! Conversations rewritten for a vendor's quirks, cached from turn to turn.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use windlass_protocol::{CallId, History, Message, Opaque, Part, Payload, RewrittenHistory, Role};

use crate::quirk::Quirk;

/// Maximum number of cached conversations. Each agent that uses a client has one conversation.
const MOST: usize = 64;

/// Quirks that change messages.
const OF_MESSAGES: &[Quirk] =
    &[Quirk::CallIdsOfNine, Quirk::NoReasoningContent, Quirk::NoFreeTextTools, Quirk::CacheBreakpoint];

/// The last rewritten form of each conversation, the newest last. The next turn then rewrites only its new
/// messages and shares the old ones, which the encoder recognizes.
#[derive(Debug, Default)]
pub(crate) struct Rewrites(Mutex<Vec<Rewrite>>);

/// A conversation rewritten for a set of quirks.
#[derive(Debug, Default)]
struct Rewrite {
    quirks: BTreeSet<Quirk>,
    history: RewrittenHistory,
    ids: ShortIds,
}

impl Rewrites {
    /// Returns the messages rewritten for these quirks, or `None` if none of the quirks changes messages.
    /// `wire` is the name of the wire format that encodes them.
    pub(crate) fn messages(
        &self,
        wire: &str,
        messages: &History,
        quirks: &BTreeSet<Quirk>,
    ) -> Option<History> {
        let quirks: BTreeSet<Quirk> =
            OF_MESSAGES.iter().copied().filter(|quirk| quirks.contains(quirk)).collect();
        if quirks.is_empty() {
            return None;
        }
        let mut rewrite =
            self.take(messages, &quirks).unwrap_or_else(|| Rewrite { quirks, ..Rewrite::default() });
        let written = rewrite.update(wire, messages);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push(rewrite);
        Some(written)
    }

    fn take(&self, messages: &History, quirks: &BTreeSet<Quirk>) -> Option<Rewrite> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = |held: &Rewrite| held.quirks == *quirks && held.history.is_beginning_of(messages);
        let at = kept.iter().rposition(goes_on)?;
        Some(kept.remove(at))
    }
}

impl Rewrite {
    fn update(&mut self, wire: &str, messages: &History) -> History {
        let Self { quirks, history, ids } = self;
        history.update(messages, |position, message, written| {
            if position == 0 {
                *ids = ShortIds::default();
            }
            let mut message = message.clone();
            let is_refused = |part: &Part| is_reasoning_content(wire, part);
            if quirks.contains(&Quirk::NoReasoningContent) && message.parts.iter().any(is_refused) {
                Arc::make_mut(&mut message).parts.retain(|part| !is_refused(part));
                // A message that contained only reasoning is empty now and must not be sent (RULES R7).
                if message.parts.is_empty() {
                    return;
                }
            }
            if quirks.contains(&Quirk::NoFreeTextTools) && message.calls().any(is_of_another_form) {
                for part in &mut Arc::make_mut(&mut message).parts {
                    if let Part::Call(call) = part {
                        *call = call.as_function();
                    }
                }
            }
            if quirks.contains(&Quirk::CallIdsOfNine) {
                ids.shorten(&mut message);
            }
            let is_user = |message: &Message| message.role == Role::User;
            if quirks.contains(&Quirk::CacheBreakpoint) && is_user(&message) && !written.iter().any(is_user) {
                mark_breakpoint(wire, Arc::make_mut(&mut message));
            }
            written.push(message);
        })
    }
}

/// Marks the last text of a message as a cache breakpoint, in the opaque fields that OpenAI's formats send with a text. A text
/// that already has such fields keeps them.
fn mark_breakpoint(wire: &str, message: &mut Message) {
    let last = message.parts.iter_mut().rev().find_map(|part| match part {
        Part::Text(text) if !text.text.is_empty() => Some(text),
        _ => None,
    });
    if let Some(text) = last.filter(|text| text.opaque.is_none()) {
        let breakpoint = json!({ "part": { "prompt_cache_breakpoint": { "mode": "explicit" } } });
        text.opaque = Some(Opaque::new(wire, breakpoint));
    }
}

fn is_of_another_form(call: &windlass_protocol::ToolCall) -> bool {
    !matches!(call.payload, Payload::Function { .. })
}

/// Returns true if a part is reasoning that arrived as `reasoning_content` and that this wire format would
/// send back in that field.
fn is_reasoning_content(wire: &str, part: &Part) -> bool {
    let Part::Reasoning(reasoning) = part else { return false };
    let opaque = reasoning.opaque.as_ref().and_then(|opaque| opaque.for_wire(wire));
    opaque.and_then(|opaque| opaque.get("field")?.as_str()) == Some("reasoning_content")
}

/// Map from call ids to ids of nine letters and digits. It is deterministic (RULES P1).
#[derive(Debug, Default)]
struct ShortIds {
    made: HashMap<CallId, CallId>,
    taken: HashSet<String>,
}

impl ShortIds {
    fn shorten(&mut self, message: &mut Arc<Message>) {
        let ids = || message.parts.iter().filter_map(call_id);
        let is_changed = ids().cloned().collect::<Vec<_>>().into_iter().any(|id| *self.short(&id) != id);
        if !is_changed {
            return;
        }
        for part in &mut Arc::make_mut(message).parts {
            let id = match part {
                Part::Call(call) => &mut call.id,
                Part::Result(result) => &mut result.call,
                _ => continue,
            };
            *id = self.short(id).clone();
        }
    }

    /// Returns the short id for an id. An id that already fits stays unchanged unless it was generated for
    /// another one.
    fn short(&mut self, id: &CallId) -> &CallId {
        if !self.made.contains_key(id) {
            let text = id.as_str();
            let fits = text.len() == 9 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let own = fits.then(|| text.to_owned());
            let made = (0_u32..1_000).map(|round| nine(text, round));
            let free = own.into_iter().chain(made).find(|short| !self.taken.contains(short));
            let short = free.and_then(|short| CallId::new(short).ok()).unwrap_or_else(|| id.clone());
            self.taken.insert(short.as_str().to_owned());
            self.made.insert(id.clone(), short);
        }
        self.made.entry(id.clone()).or_insert_with(|| id.clone())
    }
}

fn call_id(part: &Part) -> Option<&CallId> {
    match part {
        Part::Call(call) => Some(&call.id),
        Part::Result(result) => Some(&result.call),
        _ => None,
    }
}

/// Returns nine characters in base 36 from the FNV-1a hash of the id, which is equal in every process.
fn nine(id: &str, round: u32) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let start = round.to_le_bytes().into_iter().fold(0xcbf2_9ce4_8422_2325, step);
    let mut hash = id.bytes().fold(start, step);
    let mut text = String::with_capacity(9);
    for _ in 0..9 {
        let digit = usize::try_from(hash % 36).ok().and_then(|at| DIGITS.get(at)).copied().unwrap_or(b'0');
        text.push(char::from(digit));
        hash /= 36;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(value: serde_json::Value) -> Message {
        serde_json::from_value(value).unwrap()
    }

    fn round(turn: usize) -> [Message; 2] {
        let id = format!("call_{turn}");
        [
            message(json!({"role": "assistant", "parts": [
                {"type": "reasoning", "text": "hm", "opaque": {"wire": "openai-chat", "value": {"field": "reasoning_content"}}},
                {"type": "call", "id": id, "name": "look", "payload": {"kind": "function", "arguments": "{}"}}]})),
            message(
                json!({"role": "tool", "parts": [{"type": "result", "call": id, "status": "ok", "content": []}]}),
            ),
        ]
    }

    // The conversation was copied and changed as a whole for each turn.
    #[test]
    fn a_turn_shares_all_messages_of_the_turn_before() {
        let quirks: BTreeSet<Quirk> = OF_MESSAGES.iter().copied().collect();
        let (rewrites, mut history) = (Rewrites::default(), History::from([Message::user("hi")]));
        let mut before = rewrites.messages("openai-chat", &history, &quirks).unwrap();
        for turn in 0..200 {
            history.extend(round(turn));
            let told = rewrites.messages("openai-chat", &history, &quirks).unwrap();
            assert_eq!(told.shared_prefix(&before), before.len());
            assert_eq!(told, Rewrites::default().messages("openai-chat", &history, &quirks).unwrap());
            before = told;
        }
        let ids: HashSet<&str> =
            before.iter().flat_map(Message::calls).map(|call| call.id.as_str()).collect();
        assert_eq!(ids.len(), 200);
        assert!(ids.iter().all(|id| id.len() == 9));
    }

    // R7
    #[test]
    fn a_message_of_thoughts_alone_is_left_out() {
        let quirks = BTreeSet::from([Quirk::NoReasoningContent]);
        let thoughts = json!({"role": "assistant", "parts": [
            {"type": "reasoning", "text": "hm", "opaque": {"wire": "openai-chat", "value": {"field": "reasoning_content"}}}]});
        let history = History::from(vec![Message::user("hi"), message(thoughts), Message::user("and?")]);
        let told = Rewrites::default().messages("openai-chat", &history, &quirks).unwrap();
        assert_eq!(told, History::from(vec![Message::user("hi"), Message::user("and?")]));
        assert_eq!(
            Rewrites::default().messages("openai-chat", &history, &BTreeSet::from([Quirk::NoStop])),
            None
        );
    }
}
