//! The calls of an answer, and the calls that chunks belong to.

pub(crate) mod fragment;
mod ids;

use std::collections::BTreeMap;

use windlass_protocol::CallId;
use windlass_stream::CallKey;

use self::ids::CallIds;
use crate::growing::{Framing, GrowingCall};
use crate::name::GrowingName;
use crate::{AnswerCall, AssembleOptions, CallIndex, MalformedCall, MalformedReason};

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
    ids: CallIds,
    overflowed: bool,
}

/// The result of assigning a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assignment {
    Call(usize),
    /// The fragment is ignored, because its call has ended or exceeded the limit.
    Nowhere,
    /// The fragment begins a call that exceeds the limit.
    Beyond,
}

impl Assignment {
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
    pub(crate) fn find_key(&self, key: CallKey) -> Option<Assignment> {
        self.keys.get(&key).map(|at| Assignment::from_index(*at))
    }

    /// Returns the indices of the calls that have not ended.
    pub(crate) fn open(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|at| self.growing(*at).is_some()).collect()
    }

    /// Starts a call of a provider that marks the end of each call.
    pub(crate) fn start(
        &mut self,
        key: CallKey,
        id: Option<&str>,
        name: String,
        options: &AssembleOptions,
    ) -> Assignment {
        let at = self.begin(id, GrowingName::whole(name), Framing::Open, options);
        self.keys.insert(key, at);
        if let Some(at) = at {
            self.settle_id(at, options);
        }
        Assignment::from_index(at)
    }

    /// Adds a call that arrives in one piece.
    pub(crate) fn whole(&mut self, id: Option<&str>, name: String, options: &AssembleOptions) -> Assignment {
        let at = self.begin(id, GrowingName::whole(name), Framing::Ended, options);
        if let Some(at) = at {
            self.settle_id(at, options);
        }
        Assignment::from_index(at)
    }

    fn begin(
        &mut self,
        id: Option<&str>,
        name: GrowingName,
        marks: Framing,
        options: &AssembleOptions,
    ) -> Option<usize> {
        let at = self.places.len();
        if at >= options.limits.calls {
            return None;
        }
        let key = CallIndex(u64::try_from(at).unwrap_or(u64::MAX));
        // A duplicate id is not used; the call gets a synthesized id at its end at the latest.
        let id = id.and_then(|id| self.ids.accept(id));
        if let Some(id) = &id {
            self.ids.insert(id.clone(), at);
        }
        self.places.push(Place::Growing(Box::new(GrowingCall::new(key, id, name, marks, &options.limits))));
        Some(at)
    }

    /// Returns the call's id, and synthesizes it if the provider did not send one.
    pub(crate) fn settle_id(&mut self, at: usize, options: &AssembleOptions) -> Option<CallId> {
        if let Some(id) = &self.growing(at)?.id {
            return Some(id.clone());
        }
        let id = self.ids.synthesize(at, options);
        self.growing_mut(at)?.id = Some(id.clone());
        Some(id)
    }

    /// Returns the report of the first call that exceeds the limit, and `None` for later calls.
    pub(crate) fn overflow(&mut self, options: &AssembleOptions) -> Option<MalformedCall> {
        if self.overflowed {
            return None;
        }
        self.overflowed = true;
        let at = self.places.len();
        let id = self.ids.synthesize(at, options);
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
}
