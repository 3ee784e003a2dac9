//! The parts of a turn: drafts that stream, and the whole parts that replace them.

mod change;
mod draft;
mod read;

use std::collections::BTreeSet;

pub(crate) use self::change::{Change, PartKind, Whole};
use self::draft::Draft;

/// The parts of the turn that arrives.
#[derive(Debug, Default)]
pub(crate) struct TurnParts {
    prefix: String,
    /// True if the id of a void part is not used again.
    has_unique_ids: bool,
    /// Number of times that drafts of this turn were void.
    voids: u32,
    turn: u32,
    /// The number of the newest turn whose answer is complete.
    ended: u32,
    drafts: Vec<Draft>,
    settled: Vec<Whole>,
    /// True if the deltas of this turn are ignored.
    is_muted: bool,
    known: BTreeSet<String>,
}

impl TurnParts {
    /// Creates the parts of a run, whose ids begin with a prefix.
    pub(crate) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), ..Self::default() }
    }

    /// Gives parts that replace void parts other ids.
    pub(crate) fn with_unique_ids(mut self) -> Self {
        self.has_unique_ids = true;
        self
    }

    /// Starts a turn. Drafts of an earlier attempt are void.
    pub(crate) fn start(&mut self, turn: u32) -> Vec<Change> {
        let changes = self.void();
        if turn != self.turn {
            self.voids = 0;
        }
        self.turn = turn;
        self.is_muted = turn <= self.ended;
        changes
    }

    /// Voids the drafts of a failed attempt.
    pub(crate) fn void(&mut self) -> Vec<Change> {
        let parts = self.take_drafts();
        self.settled.clear();
        self.is_muted = false;
        if parts.is_empty() { Vec::new() } else { vec![Change::Void { parts }] }
    }

    /// Voids the drafts that are not settled, and ignores the further deltas of the turn.
    pub(crate) fn mute(&mut self) -> Vec<Change> {
        self.is_muted = true;
        if self.drafts.len() > self.settled.len() {
            return self.repeat_settled();
        }
        self.drafts.clear();
        Vec::new()
    }

    /// Adds a delta of a text or of reasoning.
    pub(crate) fn add_text(
        &mut self,
        kind: &PartKind,
        (turn, index): (u32, u32),
        offset: u64,
        text: &str,
    ) -> Vec<Change> {
        if turn <= self.ended {
            return Vec::new();
        }
        let mut changes = if turn == self.turn { Vec::new() } else { self.start(turn) };
        if self.is_muted || text.is_empty() {
            return changes;
        }
        let found = self.drafts.iter().position(|draft| draft.kind == *kind && draft.index == index);
        let at = match found {
            Some(at) => at,
            None if offset == 0 => self.begin(kind.clone(), index, &mut changes),
            // The beginning of this text did not arrive.
            None => return changes,
        };
        changes.extend(self.append(at, offset, text));
        changes
    }

    /// Closes a text or reasoning.
    pub(crate) fn end_text(&mut self, kind: &PartKind, turn: u32, index: u32) -> Vec<Change> {
        if turn != self.turn {
            return Vec::new();
        }
        let found = self.drafts.iter_mut().find(|draft| draft.kind == *kind && draft.index == index);
        found.and_then(Draft::close).into_iter().collect()
    }

    /// Starts a call.
    pub(crate) fn start_call(&mut self, call: &str, tool: &str) -> Vec<Change> {
        let mut changes = Vec::new();
        let is_known = self.known.contains(call) || self.find_call(call).is_some();
        if !self.is_muted && !is_known {
            let kind = PartKind::Call { call: call.to_owned(), tool: tool.to_owned() };
            self.begin(kind, 0, &mut changes);
        }
        changes
    }

    /// Adds a delta of a call's arguments.
    pub(crate) fn add_arguments(&mut self, call: &str, offset: u64, text: &str) -> Vec<Change> {
        match self.find_call(call) {
            Some(at) if !self.is_muted && !text.is_empty() => {
                self.append(at, offset, text).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Closes the arguments of a call.
    pub(crate) fn end_arguments(&mut self, call: &str) -> Vec<Change> {
        let found = self.find_call(call).and_then(|at| self.drafts.get_mut(at));
        found.and_then(Draft::close).into_iter().collect()
    }

    /// Adds a whole part, which replaces the draft at its place.
    pub(crate) fn settle(&mut self, turn: u32, whole: &Whole) -> Vec<Change> {
        let mut changes = if turn == self.turn { Vec::new() } else { self.start(turn) };
        let at = self.settled.len();
        if let PartKind::Call { call, .. } = &whole.kind {
            self.known.insert(call.clone());
        }
        self.settled.push(whole.clone());
        match self.drafts.get_mut(at) {
            None => changes.extend(self.emit_whole(at, whole)),
            Some(draft) => match draft.complete(whole) {
                Some(completion) => changes.extend(completion),
                None => changes.extend(self.repeat_settled()),
            },
        }
        changes
    }

    /// Ends the turn. Drafts without a whole part are void.
    pub(crate) fn end(&mut self, turn: u32) -> Vec<Change> {
        let mut changes = if turn == self.turn { Vec::new() } else { self.start(turn) };
        if self.drafts.len() > self.settled.len() {
            changes.extend(self.repeat_settled());
        }
        self.ended = self.ended.max(turn);
        self.drafts.clear();
        self.settled.clear();
        self.is_muted = false;
        changes
    }

    fn find_call(&self, call: &str) -> Option<usize> {
        self.drafts
            .iter()
            .position(|draft| matches!(&draft.kind, PartKind::Call { call: other, .. } if other == call))
    }

    fn begin(&mut self, kind: PartKind, index: u32, changes: &mut Vec<Change>) -> usize {
        let id = self.id_at(self.drafts.len());
        self.drafts.push(Draft::new(&id, &kind, index));
        changes.push(Change::Begin { id, kind });
        self.drafts.len().saturating_sub(1)
    }

    /// Returns the id of the part at a position of the turn. It is the same for every reader of the run.
    fn id_at(&self, position: usize) -> String {
        let id = format!("{}-{}-{position}", self.prefix, self.turn);
        if self.has_unique_ids && self.voids > 0 { format!("{id}-{}", self.voids) } else { id }
    }

    fn append(&mut self, at: usize, offset: u64, text: &str) -> Option<Change> {
        let draft = self.drafts.get_mut(at).filter(|draft| !draft.is_closed)?;
        // A reader that joins again gets the whole text so far. A delta after a gap is left out, because the whole
        // part contains it.
        let text = match usize::try_from(offset).ok()? {
            0 => text.strip_prefix(draft.text.as_str())?,
            offset if offset == draft.text.len() => text,
            _ => return None,
        };
        draft.text.push_str(text);
        (!text.is_empty()).then(|| draft.delta(text))
    }

    /// Voids all drafts of the turn, and returns the settled parts anew.
    fn repeat_settled(&mut self) -> Vec<Change> {
        self.is_muted = true;
        let parts = self.take_drafts();
        let mut changes = vec![Change::Void { parts }];
        for (position, whole) in self.settled.iter().enumerate() {
            changes.extend(self.emit_whole(position, whole));
        }
        changes
    }

    fn take_drafts(&mut self) -> Vec<(String, PartKind)> {
        if !self.drafts.is_empty() {
            self.voids = self.voids.saturating_add(1);
        }
        std::mem::take(&mut self.drafts).into_iter().map(|draft| (draft.id, draft.kind)).collect()
    }

    fn emit_whole(&self, position: usize, whole: &Whole) -> Vec<Change> {
        let (id, kind) = (self.id_at(position), whole.kind.clone());
        let mut draft = Draft::new(&id, &kind, 0);
        let mut changes = vec![Change::Begin { id, kind }];
        changes.extend(draft.complete(whole).into_iter().flatten());
        changes
    }
}
