//! The place of a call in its answer.

use serde::{Deserialize, Serialize};
use windlass_stream::CallKey;

/// Place of a call in its answer, from 0, in the order in which the calls started.
///
/// It differs from a [`CallKey`], by which a provider distinguishes the calls of a stream: keys can have gaps,
/// can start anywhere, and do not exist for every provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "a newtype")]
pub struct CallIndex(pub u64);

impl From<CallIndex> for CallKey {
    /// Returns the key of the call in a stream whose keys are the places of its calls.
    fn from(index: CallIndex) -> Self {
        Self(index.0)
    }
}
