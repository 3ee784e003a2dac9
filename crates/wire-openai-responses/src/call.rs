//! The calls of an answer, in all forms of the API.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{Arguments, Opaque, Payload};
use windlass_stream::{CallChunk, CallKey, Chunk, WholeCall};
use windlass_wire::LenientStr;

use crate::event::{Item, argument_text, read};
use crate::item::ITEM_FIELD;
use crate::names::NAME;

/// A call that arrives in fragments and has not ended.
#[derive(Debug)]
pub(crate) struct OpenCall {
    key: CallKey,
    form: Form,
    id: Option<String>,
    name: String,
    opaque: Option<Opaque>,
    /// Text that has not been emitted yet.
    kept: String,
    begun: bool,
    grown: bool,
}

/// The content of the fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The arguments of a function.
    Function,
    /// Free text. Chunks cannot carry fragments of it, so it is buffered until it is complete.
    Custom,
}

impl OpenCall {
    pub(crate) fn open(form: Form, item: &Item<'_>, key: CallKey, chunks: &mut Vec<Chunk>) -> Self {
        let mut call = Self {
            key,
            form,
            id: item.call_id(),
            name: item.name.0.to_string(),
            opaque: marks(item),
            kept: String::new(),
            begun: false,
            grown: false,
        };
        if form == Form::Function && !call.name.is_empty() {
            call.begin(chunks);
        }
        call
    }

    /// Creates a call of which only a fragment has come, because the server omitted its start (RULES S4).
    pub(crate) fn nameless(form: Form, key: CallKey) -> Self {
        let (id, name, kept) = (None, String::new(), String::new());
        Self { key, form, id, name, opaque: None, kept, begun: false, grown: false }
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn push(&mut self, text: &str, chunks: &mut Vec<Chunk>) {
        if text.is_empty() {
            return;
        }
        self.grown = true;
        if self.begun {
            self.grow(text.to_owned(), chunks);
        } else {
            self.kept.push_str(text);
        }
    }

    /// Stores the complete text, which counts only if no fragment of it came (RULES S6).
    pub(crate) fn complete(&mut self, text: String) {
        if !self.grown {
            self.kept = text;
        }
    }

    /// Ends the call with its final item.
    pub(crate) fn close(mut self, item: &Item<'_>, chunks: &mut Vec<Chunk>) {
        if self.name.is_empty() {
            self.name = item.name.0.to_string();
        }
        if !self.begun {
            self.id = item.call_id().or(self.id);
            self.opaque = marks(item).or(self.opaque);
        }
        let whole = match self.form {
            Form::Function => argument_text(item.arguments),
            Form::Custom => item.input.0.to_string(),
        };
        if !whole.is_empty() {
            self.complete(whole);
        }
        if item.is_cut() { self.abandon(chunks) } else { self.finish(chunks) }
    }

    /// Emits the end of a complete call.
    pub(crate) fn finish(mut self, chunks: &mut Vec<Chunk>) {
        match self.form {
            Form::Function => {
                self.begin(chunks);
                let arguments = (!self.kept.is_empty()).then_some(self.kept);
                chunks.push(Chunk::Call(CallChunk::End { key: self.key, arguments }));
            }
            Form::Custom => {
                let Self { id, name, opaque, kept: input, .. } = self;
                let body = WholeCall::Payload(Payload::Custom { input });
                chunks.push(Chunk::Call(CallChunk::Whole { id, name, body, opaque }));
            }
        }
    }

    /// Emits a call that was cut: with a start and without an end, so that the assembler decides about it
    /// (RULES S10).
    pub(crate) fn abandon(mut self, chunks: &mut Vec<Chunk>) {
        self.begin(chunks);
        let kept = std::mem::take(&mut self.kept);
        if !kept.is_empty() {
            self.grow(kept, chunks);
        }
    }

    fn begin(&mut self, chunks: &mut Vec<Chunk>) {
        if !std::mem::replace(&mut self.begun, true) {
            let (id, name, opaque) = (self.id.take(), self.name.clone(), self.opaque.take());
            chunks.push(Chunk::Call(CallChunk::Start { key: self.key, id, name, opaque }));
        }
    }

    fn grow(&self, arguments: String, chunks: &mut Vec<Chunk>) {
        chunks.push(Chunk::Call(CallChunk::Delta { key: self.key, arguments }));
    }
}

/// Returns the fields that have to be sent back with a call that came in fragments. The caller `direct`, the
/// model itself, is the default and is omitted.
fn marks(item: &Item<'_>) -> Option<Opaque> {
    let mut marks = Map::new();
    for (name, text) in [("id", &item.id.0), ("namespace", &item.namespace.0)] {
        if !text.is_empty() {
            marks.insert(name.to_owned(), Value::from(text.as_ref()));
        }
    }
    let caller: Option<Value> = item.caller.and_then(read);
    if let Some(caller) = caller.filter(|caller| caller.get("type").is_some_and(|kind| kind != "direct")) {
        marks.insert("caller".to_owned(), caller);
    }
    (!marks.is_empty()).then(|| Opaque::new(NAME, Value::Object(marks)))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ShellAction {
    command: Vec<String>,
    working_directory: Option<String>,
    timeout_ms: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Environment<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
}

/// Returns a call that came in one piece, or `None` if the item does not wait for a result of ours.
pub(crate) fn whole_call(item: &Item<'_>, raw: &RawValue, key: CallKey) -> Option<Vec<CallChunk>> {
    let (name, body) = match item.kind.0.as_ref() {
        "local_shell_call" => {
            let ShellAction { command, working_directory, timeout_ms } = read(item.action?)?;
            let payload = Payload::LocalShell { command, working_directory, timeout_ms };
            ("local_shell".to_owned(), WholeCall::Payload(payload))
        }
        // The provider itself runs a shell in one of its containers.
        "shell_call" => {
            let environment: Environment<'_> = item.environment.and_then(read).unwrap_or_default();
            if !matches!(environment.kind.0.as_ref(), "" | "local") {
                return None;
            }
            ("shell".to_owned(), WholeCall::Arguments(argument_text(item.action)))
        }
        "apply_patch_call" => ("apply_patch".to_owned(), WholeCall::Arguments(argument_text(item.operation))),
        // The provider runs this tool but asks for approval first. The decision on this call is the approval.
        "mcp_approval_request" => {
            let (server, tool) = (item.server_label.0.to_string(), item.name.0.to_string());
            let name = format!("mcp__{}__{}", legal(&server), legal(&tool));
            let text = argument_text(item.arguments);
            let body = match Arguments::parse(if text.is_empty() { "{}" } else { text.as_str() }) {
                Ok(arguments) => WholeCall::Payload(Payload::Mcp { server, tool, arguments }),
                Err(_) => WholeCall::Arguments(text),
            };
            (name, body)
        }
        _ => return None,
    };
    let item_value: Value = read(raw)?;
    let (id, opaque) = (item.call_id(), Some(Opaque::new(NAME, json!({ ITEM_FIELD: item_value }))));
    if !item.is_cut() {
        return Some(vec![CallChunk::Whole { id, name, body, opaque }]);
    }
    let arguments = match body {
        WholeCall::Arguments(text) => text,
        WholeCall::Payload(payload) => payload.text(),
    };
    Some(vec![CallChunk::Start { key, id, name, opaque }, CallChunk::Delta { key, arguments }])
}

/// Replaces the characters that rule N2 does not allow in a part of a name.
fn legal(part: &str) -> String {
    let legal = |character: char| if crate::names::is_legal_char(character) { character } else { '_' };
    part.chars().map(legal).collect()
}
