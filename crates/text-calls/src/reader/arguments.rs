//! Reader for arguments that are already JSON; copies them unchanged.

use windlass_stream::CallKey;

use super::{Input, Progress};
use crate::emit::Sink;
use crate::json_value::ValueScan;

/// The arguments of a call whose name is known.
#[derive(Debug)]
pub(crate) struct ArgumentsReader {
    key: CallKey,
    scan: ValueScan,
}

impl ArgumentsReader {
    pub(crate) fn new(key: CallKey) -> Self {
        Self { key, scan: ValueScan::default() }
    }

    pub(crate) fn read(&mut self, input: Input<'_, '_>, sink: &mut Sink<'_>) -> Progress {
        let Some(end) = self.scan.push(input.text) else {
            sink.delta(self.key, input.text);
            return Progress::More(input.text.len());
        };
        sink.delta(self.key, input.text.get(..end).unwrap_or_default());
        sink.end(self.key);
        Progress::Done(end)
    }
}
