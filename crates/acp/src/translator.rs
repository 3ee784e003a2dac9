//! Events of a feed as updates of a session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_app::feed::{CallCard, FeedEvent, FeedKind, MessageSource, RunOutcome};

use crate::updates::{chunk, kind_of, locations_of, text_content, title_of};
use crate::{diff, plan, terminal};

/// Bytes of a running call's output that the client sees.
const OUTPUT_TAIL: usize = 4 * 1024;

/// The tool whose call is the end of the task. Its text is shown as a message.
const COMPLETION: &str = "attempt_completion";

/// State that the updates of a session depend on.
#[derive(Debug)]
pub(crate) struct Translator {
    root: PathBuf,
    /// True for a history that the client does not have: its messages are shown, too.
    is_replay: bool,
    /// The prompt of the client, which it shows itself.
    own: String,
    texts: Drafts,
    thoughts: Drafts,
    calls: BTreeMap<String, Call>,
    /// Calls that end the task.
    completions: BTreeSet<String>,
    /// Ended calls of the turn that changed files, for the diff of the turn.
    edits: Vec<(String, Call)>,
    last_text: String,
    /// Size of the model's window in tokens; 0 if it is unknown.
    window: u64,
    /// True if the client shows the output of commands as terminals.
    has_terminals: bool,
}

/// The streamed texts of a turn.
#[derive(Debug, Default)]
struct Drafts {
    /// Bytes that were sent, by index.
    sent: BTreeMap<u32, u64>,
    /// Number of whole texts.
    whole: u32,
}

#[derive(Debug, Default)]
struct Call {
    tool: String,
    path: Option<String>,
    arguments: Value,
    content: Vec<Value>,
    output: String,
    /// True if the client shows the output in a terminal.
    has_terminal: bool,
}

impl Drafts {
    /// Returns the part of a delta that was not sent.
    fn add<'a>(&mut self, index: u32, offset: u64, text: &'a str) -> &'a str {
        let sent = self.sent.entry(index).or_default();
        let known = usize::try_from(sent.saturating_sub(offset)).unwrap_or(usize::MAX);
        let rest = text.get(known..).unwrap_or_default();
        *sent = (*sent).max(offset.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX)));
        rest
    }

    /// Returns the part of a whole text that was not sent.
    fn complete<'a>(&mut self, text: &'a str) -> &'a str {
        let index = self.whole;
        self.whole = self.whole.saturating_add(1);
        self.add(index, 0, text)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Translator {
    /// Creates the translator of a run that works on a prompt of the client.
    pub(crate) fn live(root: &Path, prompt: &str) -> Self {
        Self {
            root: root.to_owned(),
            is_replay: false,
            own: prompt.to_owned(),
            texts: Drafts::default(),
            thoughts: Drafts::default(),
            calls: BTreeMap::new(),
            completions: BTreeSet::new(),
            edits: Vec::new(),
            last_text: String::new(),
            window: 0,
            has_terminals: false,
        }
    }

    /// Sets the size of the model's window in tokens, so that each answer has its fill level.
    pub(crate) fn with_window(self, window: u64) -> Self {
        Self { window, ..self }
    }

    /// Shows the output of commands as terminals, if the client can do that.
    pub(crate) fn with_terminals(self, has_terminals: bool) -> Self {
        Self { has_terminals, ..self }
    }

    /// Creates the translator of a recorded session.
    pub(crate) fn replay(root: &Path) -> Self {
        Self { is_replay: true, ..Self::live(root, "") }
    }

    /// Returns the folder of the session.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the updates of an event. Events of sub-agents have none: the call that started the agent shows them.
    pub(crate) fn translate(&mut self, event: &FeedEvent) -> Vec<Value> {
        if event.agent.is_some() {
            return Vec::new();
        }
        match &event.kind {
            FeedKind::RunStarted { task, .. } if self.is_replay => vec![chunk("user_message_chunk", task)],
            FeedKind::Message { text, source, .. } => self.message(text, *source),
            FeedKind::ReasoningDelta { index, offset, text, .. } => {
                text_update("agent_thought_chunk", self.thoughts.add(*index, *offset, text))
            }
            FeedKind::TextDelta { index, offset, text, .. } => {
                text_update("agent_message_chunk", self.texts.add(*index, *offset, text))
            }
            FeedKind::Reasoning { text, .. } => {
                text_update("agent_thought_chunk", self.thoughts.complete(text))
            }
            FeedKind::Text { text, .. } => {
                self.last_text.clone_from(text);
                text_update("agent_message_chunk", self.texts.complete(text))
            }
            FeedKind::TurnEnded { usage, .. } => {
                self.forget_drafts();
                self.edits.clear();
                // The next request has the answer, too.
                self.fill_level(usage.input.saturating_add(usage.output))
            }
            FeedKind::Retry { reason, .. } => {
                self.forget_drafts();
                vec![chunk("agent_thought_chunk", &format!("The answer is requested again: {reason}\n"))]
            }
            FeedKind::Notice { text } => vec![chunk("agent_thought_chunk", &format!("{text}\n"))],
            FeedKind::Context { used, window, .. } => {
                self.window = *window;
                self.fill_level(*used)
            }
            FeedKind::TurnDiff { diff, .. } => self.turn_diff(diff),
            FeedKind::RunEnded { outcome: RunOutcome::Completed { text }, .. } if *text != self.last_text => {
                text_update("agent_message_chunk", text)
            }
            kind => self.translate_call(kind),
        }
    }

    fn translate_call(&mut self, kind: &FeedKind) -> Vec<Value> {
        match kind {
            FeedKind::CallStarted { call, tool } | FeedKind::Call { call, tool, .. }
                if tool == COMPLETION =>
            {
                self.completions.insert(call.clone());
                Vec::new()
            }
            FeedKind::CallStarted { call, tool } => {
                let fields = json!({"title": tool, "kind": kind_of(tool), "status": "pending"});
                let known = Call { tool: tool.clone(), ..Call::default() };
                vec![self.begin_call(call, known, fields)]
            }
            FeedKind::Call { call, tool, arguments, .. } => self.call(call, tool, arguments),
            FeedKind::CallRunning { call } if self.calls.contains_key(call) => {
                vec![call_update(call, json!({"status": "in_progress"}))]
            }
            FeedKind::CallNote { call, text } | FeedKind::CallOutput { call, text, .. } => {
                self.output(call, text)
            }
            FeedKind::Result { call, status, text, .. } => self.result(call, status, text),
            _ => Vec::new(),
        }
    }

    fn fill_level(&self, used: u64) -> Vec<Value> {
        if self.window == 0 {
            return Vec::new();
        }
        vec![json!({"sessionUpdate": "usage_update", "used": used, "size": self.window})]
    }

    fn forget_drafts(&mut self) {
        self.texts.clear();
        self.thoughts.clear();
    }

    fn message(&self, text: &str, source: MessageSource) -> Vec<Value> {
        let is_shown = source != MessageSource::Program && (self.is_replay || text.trim() != self.own.trim());
        if is_shown { vec![chunk("user_message_chunk", text)] } else { Vec::new() }
    }

    /// Returns the first update of a call. The client creates the terminal of a command with it.
    fn begin_call(&mut self, id: &str, call: Call, fields: Value) -> Value {
        let has_terminal = self.has_terminals && kind_of(&call.tool) == "execute";
        let mut update = call_update(id, fields);
        if has_terminal {
            extend(&mut update, terminal::begin(id, &self.root));
        }
        extend(&mut update, json!({"sessionUpdate": "tool_call"}));
        let content = if has_terminal { vec![terminal::content(id)] } else { Vec::new() };
        self.calls.insert(id.to_owned(), Call { content, has_terminal, ..call });
        update
    }

    fn call(&mut self, id: &str, tool: &str, arguments: &Value) -> Vec<Value> {
        let path = arguments.get("path").and_then(Value::as_str).map(str::to_owned);
        let call = Call { tool: tool.to_owned(), path, arguments: arguments.clone(), ..Call::default() };
        let fields = json!({
            "title": title_of(tool, arguments), "kind": kind_of(tool), "status": "pending", "rawInput": arguments,
            "locations": locations_of(&self.root, arguments),
        });
        let Some(known) = self.calls.get_mut(id) else { return vec![self.begin_call(id, call, fields)] };
        let (content, has_terminal) = (std::mem::take(&mut known.content), known.has_terminal);
        *known = Call { content, has_terminal, ..call };
        vec![call_update(id, fields)]
    }

    fn output(&mut self, id: &str, text: &str) -> Vec<Value> {
        let Some(call) = self.calls.get_mut(id) else { return Vec::new() };
        call.output.push_str(text);
        let start = call.output.ceil_char_boundary(call.output.len().saturating_sub(OUTPUT_TAIL));
        call.output.drain(..start);
        if call.has_terminal {
            return vec![call_update(id, terminal::output(id, text))];
        }
        let mut content = call.content.clone();
        content.push(text_content(&call.output));
        vec![call_update(id, json!({"content": content}))]
    }

    fn result(&mut self, id: &str, status: &str, text: &str) -> Vec<Value> {
        if self.completions.remove(id) {
            return Vec::new();
        }
        // The call may have begun in an earlier prompt.
        let mut call = self.calls.remove(id).unwrap_or_default();
        let is_ok = status == "ok";
        let mut content = std::mem::take(&mut call.content);
        let mut updates = Vec::new();
        if call.has_terminal {
            if call.output.is_empty() && !text.is_empty() {
                // The command printed nothing, or did not run.
                updates.push(call_update(id, terminal::output(id, text)));
            }
        } else if !text.is_empty() {
            content.push(text_content(text));
        }
        let fields = json!({
            "status": if is_ok { "completed" } else { "failed" }, "content": content,
            "rawOutput": {"status": status},
        });
        let mut end = call_update(id, fields);
        if call.has_terminal {
            extend(&mut end, json!({"_meta": terminal::exit(id, text)}));
        }
        updates.push(end);
        if is_ok {
            updates.extend(plan::from_call(&call.tool, &call.arguments));
        }
        if is_ok && call.path.is_some() && kind_of(&call.tool) == "edit" {
            call.content = content;
            self.edits.push((id.to_owned(), call));
        }
        updates
    }

    /// Returns the changes of a turn as content of the calls that made them. A call that was asked about has its own.
    fn turn_diff(&mut self, text: &str) -> Vec<Value> {
        let mut updates = Vec::new();
        for (start, file) in diff::parse(text).into_iter().enumerate() {
            let is_same = |(_, call): &&(String, Call)| {
                call.path.as_ref().is_some_and(|path| self.root.join(path) == self.root.join(&file.path))
            };
            let Some((id, call)) = self.edits.iter().rfind(is_same) else { continue };
            if call.content.iter().any(|content| content.get("type") == Some(&json!("diff"))) || start > 100 {
                continue;
            }
            let mut content = diff::change_content(&self.root, &file);
            content.extend(call.content.iter().cloned());
            updates.push(call_update(id, json!({"content": content})));
        }
        updates
    }

    /// Keeps the changes of a call that is asked about as its content, and returns them.
    pub(crate) fn add_card(&mut self, card: &CallCard) -> Vec<Value> {
        let changes = card.changes.iter();
        let diffs: Vec<Value> =
            changes.flat_map(|change| diff::to_content(&self.root, &change.path, &change.diff)).collect();
        if let Some(call) = self.calls.get_mut(&card.call).filter(|call| !call.has_terminal) {
            call.content.clone_from(&diffs);
        }
        diffs
    }
}

fn text_update(kind: &str, text: &str) -> Vec<Value> {
    if text.is_empty() { Vec::new() } else { vec![chunk(kind, text)] }
}

/// Returns an update of a call with these fields.
pub(crate) fn call_update(id: &str, fields: Value) -> Value {
    let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": id});
    extend(&mut update, fields);
    update
}

fn extend(update: &mut Value, fields: Value) {
    if let (Some(update), Value::Object(fields)) = (update.as_object_mut(), fields) {
        update.extend(fields);
    }
}

#[cfg(test)]
mod tests;
