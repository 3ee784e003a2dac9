//! Assignment of fragments to calls (RULES S2 to S4).

use std::collections::{BTreeMap, HashMap};

use windlass_protocol::CallId;
use windlass_stream::CallKey;

use crate::growing::{Fragment, GrowingCall, Marks};
use crate::name::GrowingName;
use crate::{AnswerCall, CallIndex, MalformedCall, MalformedReason, Options};

/// A call of the answer, in its current state.
#[derive(Debug)]
pub(crate) enum Place {
    Growing(Box<GrowingCall>),
    Ended(Box<AnswerCall>),
}

/// All calls of an answer, in the order of their start.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) places: Vec<Place>,
    // Almost always one entry, which an ordered map finds with one comparison and without hashing.
    /// The newest call of each index; `None` if the call exceeded the limit.
    slots: BTreeMap<u64, Option<usize>>,
    /// The newest call of each key of the provider; `None` if the call exceeded the limit.
    keys: BTreeMap<CallKey, Option<usize>>,
    ids: HashMap<CallId, usize>,
    overflowed: bool,
}

/// The call that a fragment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Existing(usize),
    New,
    Nowhere,
}

/// The result of assigning a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routed {
    Call(usize),
    /// The fragment is ignored, because its call has ended or exceeded the limit.
    Nowhere,
    /// The fragment begins a call that exceeds the limit.
    Beyond,
}

impl Routed {
    fn from_index(at: Option<usize>) -> Self {
        at.map_or(Self::Beyond, Self::Call)
    }
}

impl Calls {
    pub(crate) fn growing(&self, at: usize) -> Option<&GrowingCall> {
        match self.places.get(at)? {
            Place::Growing(call) => Some(call),
            Place::Ended(_) => None,
        }
    }

    pub(crate) fn growing_mut(&mut self, at: usize) -> Option<&mut GrowingCall> {
        match self.places.get_mut(at)? {
            Place::Growing(call) => Some(call),
            Place::Ended(_) => None,
        }
    }

    /// Returns the newest call of a provider's key, or `None` for a new key.
    pub(crate) fn find_key(&self, key: CallKey) -> Option<Routed> {
        self.keys.get(&key).map(|at| Routed::from_index(*at))
    }

    /// Returns the indices of the calls that have not ended.
    pub(crate) fn open(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|at| self.growing(*at).is_some()).collect()
    }

    /// Assigns a fragment to a call, or starts a new call.
    pub(crate) fn place(&mut self, fragment: &Fragment, options: &Options) -> Routed {
        let slot = fragment.index.unwrap_or(fragment.position);
        match self.target(fragment, slot) {
            Target::Nowhere => Routed::Nowhere,
            Target::Existing(at) => {
                let id = fragment.id.as_deref().and_then(|id| self.free_id(id));
                let Some(call) = self.growing_mut(at) else { return Routed::Nowhere };
                if let (None, Some(id)) = (&call.id, id) {
                    call.id = Some(id.clone());
                    self.ids.insert(id, at);
                }
                self.slots.insert(slot, Some(at));
                Routed::Call(at)
            }
            Target::New => {
                let at = self.begin(fragment.id.as_deref(), GrowingName::default(), Marks::None, options);
                self.slots.insert(slot, at);
                Routed::from_index(at)
            }
        }
    }

    /// Starts a call of a provider that marks the end of each call.
    pub(crate) fn start(
        &mut self,
        key: CallKey,
        id: Option<&str>,
        name: String,
        options: &Options,
    ) -> Routed {
        let at = self.begin(id, GrowingName::whole(name), Marks::Open, options);
        self.keys.insert(key, at);
        if let Some(at) = at {
            self.settle_id(at, options);
        }
        Routed::from_index(at)
    }

    /// Adds a call that arrives in one piece.
    pub(crate) fn whole(&mut self, id: Option<&str>, name: String, options: &Options) -> Routed {
        let at = self.begin(id, GrowingName::whole(name), Marks::Ended, options);
        if let Some(at) = at {
            self.settle_id(at, options);
        }
        Routed::from_index(at)
    }

    fn begin(
        &mut self,
        id: Option<&str>,
        name: GrowingName,
        marks: Marks,
        options: &Options,
    ) -> Option<usize> {
        let at = self.places.len();
        if at >= options.limits.calls {
            return None;
        }
        let key = CallIndex(u64::try_from(at).unwrap_or(u64::MAX));
        // A duplicate id is not used; the call gets a synthesized id at its end at the latest.
        let id = id.and_then(|id| self.free_id(id));
        if let Some(id) = &id {
            self.ids.insert(id.clone(), at);
        }
        self.places.push(Place::Growing(Box::new(GrowingCall::new(key, id, name, marks, &options.limits))));
        Some(at)
    }

    fn free_id(&self, id: &str) -> Option<CallId> {
        CallId::new(id).ok().filter(|id| !self.ids.contains_key(id))
    }

    /// Returns the call's id, and synthesizes it if the provider did not send one.
    pub(crate) fn settle_id(&mut self, at: usize, options: &Options) -> Option<CallId> {
        if let Some(id) = &self.growing(at)?.id {
            return Some(id.clone());
        }
        let id = self.make_id(at, options);
        self.ids.insert(id.clone(), at);
        self.growing_mut(at)?.id = Some(id.clone());
        Some(id)
    }

    fn make_id(&self, at: usize, options: &Options) -> CallId {
        let mut position = at;
        let mut id = CallId::synthesize(options.turn, position);
        // A provider may use the same form of ids. The loop terminates because `ids` has at most one entry
        // per call.
        while self.ids.contains_key(&id) {
            position = position.saturating_add(options.limits.calls.max(1));
            id = CallId::synthesize(options.turn, position);
        }
        id
    }

    /// Returns the report of the first call that exceeds the limit, and `None` for later calls.
    pub(crate) fn overflow(&mut self, options: &Options) -> Option<MalformedCall> {
        if self.overflowed {
            return None;
        }
        self.overflowed = true;
        let at = self.places.len();
        let id = self.make_id(at, options);
        self.ids.insert(id.clone(), at);
        let call = MalformedCall {
            key: CallIndex(u64::try_from(at).unwrap_or(u64::MAX)),
            id,
            name: None,
            reason: MalformedReason::TooManyCalls { limit: options.limits.calls },
            text: String::new(),
            opaque: None,
        };
        self.places.push(Place::Ended(Box::new(AnswerCall::Malformed(call.clone()))));
        Some(call)
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
        self.ids.get(&id).copied()
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
