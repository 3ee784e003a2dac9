//! Assignment of fragments to calls, for providers that send fragments by index (RULES S2 to S4).

use windlass_protocol::{CallId, Opaque};
use windlass_stream::CallChunk;

use super::{Assignment, Calls};
use crate::AssembleOptions;
use crate::growing::Framing;
use crate::name::GrowingName;

/// The fields of `CallChunk::Partial`.
#[derive(Debug, Default)]
pub(crate) struct Fragment {
    pub(crate) index: Option<u64>,
    pub(crate) position: u64,
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) arguments: Option<String>,
    pub(crate) opaque: Option<Opaque>,
}

impl Fragment {
    /// Creates the fragment of a `Partial`, and treats `""` as absent (S1).
    pub(crate) fn from_chunk(chunk: CallChunk) -> Option<Self> {
        let CallChunk::Partial { index, position, id, name, arguments, opaque } = chunk else { return None };
        let given = |text: &String| !text.is_empty();
        Some(Self {
            index,
            position,
            id: id.filter(given),
            name: name.filter(given),
            arguments: arguments.filter(given),
            opaque,
        })
    }
}

/// The call that a fragment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Existing(usize),
    New,
    Nowhere,
}

impl Calls {
    /// Assigns a fragment to a call, or starts a new call.
    pub(crate) fn place(&mut self, fragment: &Fragment, options: &AssembleOptions) -> Assignment {
        let slot = fragment.index.unwrap_or(fragment.position);
        match self.target(fragment, slot) {
            Target::Nowhere => Assignment::Nowhere,
            Target::Existing(at) => {
                let id = fragment.id.as_deref().and_then(|id| self.ids.accept(id));
                let Some(call) = self.growing_mut(at) else { return Assignment::Nowhere };
                if let (None, Some(id)) = (&call.id, id) {
                    call.id = Some(id.clone());
                    self.ids.insert(id, at);
                }
                self.slots.insert(slot, Some(at));
                Assignment::Call(at)
            }
            Target::New => {
                let at = self.begin(fragment.id.as_deref(), GrowingName::default(), Framing::None, options);
                self.slots.insert(slot, at);
                Assignment::from_index(at)
            }
        }
    }

    fn target(&self, fragment: &Fragment, slot: u64) -> Target {
        if let Some(at) = self.find_id(fragment) {
            return self.target_of_known(at, fragment);
        }
        match self.slots.get(&slot) {
            // A missing index that the position does not resolve either: use the last open call (S2).
            None if fragment.index.is_none() && fragment.id.is_none() && fragment.name.is_none() => {
                self.last_open().map_or(Target::New, Target::Existing)
            }
            None => Target::New,
            Some(None) => Target::Nowhere,
            Some(Some(at)) => self.target_in_slot(*at, fragment),
        }
    }

    fn find_id(&self, fragment: &Fragment) -> Option<usize> {
        let id = CallId::new(fragment.id.as_deref()?).ok()?;
        self.ids.find(&id)
    }

    /// A known id takes precedence over the index, unless the fragment shows that another call has the same
    /// id.
    fn target_of_known(&self, at: usize, fragment: &Fragment) -> Target {
        let Some(call) = self.growing(at) else { return Target::Nowhere };
        let Some(name) = &fragment.name else { return Target::Existing(at) };
        let is_other_index = fragment.index.is_some_and(|index| self.slots.get(&index) != Some(&Some(at)));
        if is_other_index && (call.is_complete_json() || !call.name.is_repeated_by(name)) {
            return match self.slots.get(&fragment.index.unwrap_or_default()) {
                // The other index already has its own call, so the fragment continues that call.
                Some(Some(own)) if self.growing(*own).is_some() => Target::Existing(*own),
                _ => Target::New,
            };
        }
        Target::Existing(at)
    }

    fn target_in_slot(&self, at: usize, fragment: &Fragment) -> Target {
        let Some(call) = self.growing(at) else {
            return if fragment.name.is_some() { Target::New } else { Target::Nowhere };
        };
        let Some(name) = &fragment.name else { return Target::Existing(at) };
        let is_nameless = call.name.as_str().is_empty();
        let is_new = if fragment.id.is_some() {
            // S3: a new id with a name starts a new call, except for an id that arrives late for its own
            // call.
            let is_late_id = call.id.is_none() && !call.is_complete_json();
            !(is_nameless || is_late_id && call.name.is_repeated_by(name))
        } else {
            // Without ids, a name after complete arguments starts the next call.
            call.is_complete_json() && (fragment.arguments.is_some() || !call.name.is_repeated_by(name))
        };
        if is_new { Target::New } else { Target::Existing(at) }
    }

    fn last_open(&self) -> Option<usize> {
        (0..self.places.len()).rev().find(|at| self.growing(*at).is_some())
    }
}
