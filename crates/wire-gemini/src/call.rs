//! Decodes calls, whole or in fragments.

use serde_json::{Map, Value};
use windlass_protocol::Opaque;
use windlass_stream::{CallChunk, CallKey, Chunk, WholeCall};

use crate::event::FunctionCall;
use crate::names::NAME;
use crate::partial::ArgumentWriter;

/// The fields of a call's part that are sent back with it (RULES P2).
pub(crate) const SIGNATURE: &str = "thoughtSignature";
pub(crate) const ID: &str = "id";

/// The state of decoding the calls of one response.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The call whose fragments are still arriving.
    open: Option<(CallKey, ArgumentWriter)>,
    /// The number of calls that came in fragments.
    begun: u64,
}

impl Calls {
    /// Handles a call, or a fragment of one. The API does not number fragments: those without a name belong
    /// to the last call, which ends at the first fragment that announces no further one.
    pub(crate) fn push(&mut self, call: &FunctionCall<'_>, signature: &str, chunks: &mut Vec<Chunk>) {
        let continues = call.will_continue == Some(true);
        if call.name.0.is_empty() {
            return self.go_on(call, signature, chunks);
        }
        // A call that is still open when another begins stays without an end, so it is never complete (RULES
        // S10).
        self.open = None;
        let id = (!call.id.0.is_empty()).then(|| call.id.0.clone().into_owned());
        let opaque = opaque(&call.id.0, signature);
        let name = call.name.0.clone().into_owned();
        if continues || call.partial_args.is_some() {
            let key = CallKey(self.begun);
            self.begun = self.begun.saturating_add(1);
            chunks.push(Chunk::Call(CallChunk::Start { key, id, name, opaque }));
            self.open = Some((key, ArgumentWriter::default()));
            self.write(call, chunks);
        } else {
            let body = WholeCall::Arguments(arguments(call).unwrap_or_default());
            chunks.push(Chunk::Call(CallChunk::Whole { id, name, body, opaque }));
        }
    }

    fn go_on(&mut self, call: &FunctionCall<'_>, signature: &str, chunks: &mut Vec<Chunk>) {
        if self.open.is_some() {
            return self.write(call, chunks);
        }
        if let Some(arguments) = arguments(call) {
            // The arguments of a call without a name (RULES S11).
            let body = WholeCall::Arguments(arguments);
            let opaque = opaque(&call.id.0, signature);
            chunks.push(Chunk::Call(CallChunk::Whole { id: None, name: String::new(), body, opaque }));
        }
    }

    /// Writes the arguments of a fragment, and the call's end if no further fragment follows.
    fn write(&mut self, call: &FunctionCall<'_>, chunks: &mut Vec<Chunk>) {
        let Some((key, mut writer)) = self.open.take() else { return };
        let mut text = String::new();
        for value in call.partial_args.iter().flatten() {
            text.push_str(&writer.push(value));
        }
        if call.will_continue == Some(true) {
            tell(key, text, chunks);
            self.open = Some((key, writer));
            return;
        }
        text.push_str(&writer.finish());
        tell(key, text, chunks);
        chunks.push(Chunk::Call(CallChunk::End { key, arguments: arguments(call) }));
    }
}

fn tell(key: CallKey, arguments: String, chunks: &mut Vec<Chunk>) {
    if !arguments.is_empty() {
        chunks.push(Chunk::Call(CallChunk::Delta { key, arguments }));
    }
}

/// Returns the text of complete arguments, as the server wrote it.
fn arguments(call: &FunctionCall<'_>) -> Option<String> {
    call.args.map(|args| args.get().to_owned())
}

/// Returns the fields that are sent back with the call: its signature, and its id if the API sent one.
/// Otherwise the API matches results by name and order, so the id that we synthesized is not sent.
fn opaque(id: &str, signature: &str) -> Option<Opaque> {
    let given = [(ID, id), (SIGNATURE, signature)].into_iter().filter(|(_, text)| !text.is_empty());
    let fields: Map<String, Value> = given.map(|(name, text)| (name.to_owned(), text.into())).collect();
    (!fields.is_empty()).then(|| Opaque::new(NAME, Value::Object(fields)))
}
