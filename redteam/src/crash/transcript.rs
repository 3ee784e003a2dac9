//! The conversation of a recorded run, and its comparison with that of another run of the same script.

use std::collections::BTreeMap;

use serde_json::Value;
use windlass_agent::Entry;
use windlass_journal::Record;
use windlass_protocol::{Message, ResultStatus, ToolResult};

/// The answers of the model in their order, and the results by call.
pub(super) struct Transcript {
    answers: Vec<Value>,
    results: BTreeMap<String, ToolResult>,
}

/// The result of a comparison.
pub(super) enum Comparison {
    /// The transcripts are equal, except for results of calls during which a process died.
    Equal(InterruptedResults),
    /// The first difference.
    Different(String),
}

/// The number of results of calls during which a process died, and that were not made again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InterruptedResults {
    /// Results that report unknown effects.
    pub(super) unknown: u32,
    /// Results that report a change which the next process found in the files.
    pub(super) found: u32,
}

/// The beginning of the result of a change that was found in the files.
const FOUND: &str = "The change was made. The program ended before it could report this";

impl Transcript {
    pub(super) fn read(records: &[Record]) -> anyhow::Result<Self> {
        let (mut answers, mut results) = (Vec::new(), BTreeMap::new());
        for record in records {
            match record.read::<Entry>()? {
                Entry::Answered { message, .. } => answers.push(to_json(&message)?),
                Entry::Result { result } => {
                    results.insert(result.call.to_string(), result);
                }
                _ => {}
            }
        }
        Ok(Self { answers, results })
    }

    /// Compares a transcript with that of an undisturbed run. A process that died during a call leaves a result with
    /// unknown effects, or with a change that the next process found in the files. The script repeats a patch whose
    /// result is unknown, so the answers of such a run are not compared.
    pub(super) fn compare(&self, expected: &Self) -> Comparison {
        let mut interrupted = InterruptedResults::default();
        let is_unknown = |result: &&ToolResult| result.status == ResultStatus::EffectsUnknown;
        let unknown = self.results.values().filter(is_unknown).count();
        interrupted.unknown = u32::try_from(unknown).unwrap_or(u32::MAX);
        for (id, result) in &expected.results {
            let Some(found) = self.results.get(id) else {
                return Comparison::Different(format!("{id} has no result"));
            };
            if is_unknown(&found) || found == result {
                continue;
            }
            if found.status != result.status || !found.wire_text().starts_with(FOUND) {
                let (found, result) = (found.wire_text(), result.wire_text());
                return Comparison::Different(format!("{id}: {found} instead of {result}"));
            }
            interrupted.found += 1;
        }
        if unknown == 0 && self.answers != expected.answers {
            let position = self.answers.iter().zip(&expected.answers).take_while(|(a, b)| a == b).count();
            return Comparison::Different(format!("answer {position} of {}", expected.answers.len()));
        }
        Comparison::Equal(interrupted)
    }
}

fn to_json(message: &Message) -> serde_json::Result<Value> {
    serde_json::to_value(message)
}
