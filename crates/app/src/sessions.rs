//! Sessions: conversations of several runs, and the host through which front ends start, watch and answer them.

mod answer;
mod catalog;
mod continuation;
mod desk;
mod export;
mod found;
mod handle;
mod host;
mod pump;
mod record;
mod store;
mod stored;
mod stream;
mod tracker;
mod transcript;

pub use self::answer::{Answer, AnswerError, AnswerPlace, OpenQuestion};
pub use self::catalog::{Prune, Sessions};
pub use self::continuation::{Continuation, ForkPoint, RunChanges, SessionLink};
pub(crate) use self::desk::Desk;
pub use self::export::{ExportFormat, export};
pub use self::handle::{RunEnd, RunHandle};
pub use self::host::SessionHost;
pub use self::record::{RunEntry, SessionRecord, SessionState};
pub use self::store::SessionStore;
pub use self::stream::FeedStream;
pub(crate) use self::tracker::SessionTracker;
