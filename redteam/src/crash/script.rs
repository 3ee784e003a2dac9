//! The scripted model of a run that is killed. Its answers depend on the conversation alone, so they are the
//! same in every process.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use futures_util::stream;
use serde_json::{Value, json};
use windlass_protocol::{Message, Part, Request, ResultStatus, Role, StopReason, Usage};
use windlass_stream::{
    CallChunk, Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture, WholeCall,
};
use windlass_wire::check_pairing;

/// The number of turns of a run.
pub(super) const TURNS: usize = 8;
/// The number of turns between patches of two files, which are made in addition to the edit of each turn.
const PATCH_EVERY: usize = 2;

/// Writes the files that a run starts with.
pub(super) fn lay_out(work: &Path) -> anyhow::Result<()> {
    for (name, text) in files(0, 0) {
        fs::write(work.join(name), text)?;
    }
    Ok(())
}

/// Returns the files after a number of edits and patches.
pub(super) fn files(edits: usize, patches: usize) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("steps.txt", format!("before\nstep {edits}\nafter\n")),
        ("a.txt", format!("a {patches}\n")),
        ("b.txt", format!("b {patches}\n")),
    ])
}

/// Returns the number of patches of a run.
pub(super) fn patches() -> usize {
    TURNS.div_ceil(PATCH_EVERY)
}

/// The scripted model. It refuses requests that a provider would refuse.
pub(super) struct ScriptedJob;

impl Model for ScriptedJob {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            if let Err(error) = check_pairing(&request.messages) {
                return Err(ModelError::new(ModelErrorKind::Refused, format!("unpaired: {error}")));
            }
            let chunks = answer(request).into_iter().map(Ok);
            Ok(Box::pin(stream::iter(chunks.collect::<Vec<_>>())) as ChunkStream)
        })
    }
}

/// The scripted model, which waits before each answer.
pub(super) struct DelayedJob {
    pub(super) latency: Duration,
}

impl Model for DelayedJob {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            tokio::time::sleep(self.latency).await;
            ScriptedJob.stream(request).await
        })
    }
}

fn answer(request: &Request) -> Vec<Chunk> {
    let turn = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
    let usage = Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() };
    let mut chunks = vec![Chunk::text(format!("turn {turn}")), Chunk::Usage { usage }];
    if turn >= TURNS && fixes(request).is_empty() {
        chunks.push(Chunk::Finish { reason: StopReason::End, raw: "stop".into() });
        return chunks;
    }
    let mut calls = fixes(request);
    if turn < TURNS {
        calls.push((format!("t{turn}-read"), "read_file", json!({"path": "steps.txt"})));
        let (old, new) = (format!("step {turn}"), format!("step {}", turn + 1));
        calls.push((
            format!("t{turn}-edit"),
            "edit_file",
            json!({"path": "steps.txt", "old_text": old, "new_text": new}),
        ));
        if turn.is_multiple_of(PATCH_EVERY) {
            let number = turn / PATCH_EVERY;
            let patch = patch(&["a", "b"], number);
            calls.push((format!("t{turn}-patch"), "apply_patch", json!({ "patch": patch })));
        }
        calls.push((format!("t{turn}-mark"), "mark", json!({"what": format!("t{turn}-mark")})));
        let command = format!("echo t{turn}-shell >> shell-marks");
        calls.push((format!("t{turn}-shell"), "run_command", json!({ "command": command })));
    }
    for (id, name, arguments) in calls {
        chunks.push(Chunk::Call(CallChunk::Whole {
            id: Some(id),
            name: name.to_owned(),
            body: WholeCall::Arguments(arguments.to_string()),
            opaque: None,
        }));
    }
    chunks.push(Chunk::Finish { reason: StopReason::Calls, raw: "tool_calls".into() });
    chunks
}

fn patch(files: &[&str], number: usize) -> String {
    let update =
        |file: &&str| format!("*** Update File: {file}.txt\n@@\n-{file} {number}\n+{file} {}\n", number + 1);
    format!("*** Begin Patch\n{}*** End Patch", files.iter().map(update).collect::<String>())
}

/// Returns the calls that repair the last turn's results: the rest of each patch that was interrupted.
fn fixes(request: &Request) -> Vec<(String, &'static str, Value)> {
    let results =
        request.messages.last().map(|message: &Message| message.parts.as_slice()).unwrap_or_default();
    results
        .iter()
        .filter_map(|part| match part {
            Part::Result(result) if result.status == ResultStatus::EffectsUnknown => Some(result),
            _ => None,
        })
        .filter_map(|result| {
            let turn: usize = result.call.as_str().strip_prefix('t')?.strip_suffix("-patch")?.parse().ok()?;
            let text = result.wire_text();
            let (_, open) = text.split_once("not yet ")?;
            let open: Vec<&str> =
                ["a", "b"].into_iter().filter(|name| open.contains(&format!("{name}.txt"))).collect();
            let fix = patch(&open, turn / PATCH_EVERY);
            Some((format!("t{turn}-fix"), "apply_patch", json!({ "patch": fix })))
        })
        .collect()
}
