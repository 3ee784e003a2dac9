//! Sessions: conversations of several runs, and the host through which front ends start, watch and answer them.

mod answer;
mod catalog;
mod continuation;
mod counts;
pub(crate) mod desk;
mod export;
mod found;
mod handle;
mod host;
pub(crate) mod link;
mod messages;
pub(crate) mod page;
mod prune;
mod pump;
pub(crate) mod record;
pub(crate) mod store;
mod stored;
mod stream;
pub(crate) mod tracker;
mod transcript;

pub use self::answer::{Answer, AnswerError, AnswerPlace, OpenQuestion};
pub use self::catalog::Sessions;
pub use self::continuation::{Continuation, RunChanges};
pub use self::counts::SessionCounts;
pub use self::export::{ExportFormat, export};
pub use self::handle::{RunEnd, RunHandle};
pub use self::host::SessionHost;
pub use self::link::{ForkPoint, SessionLink};
pub use self::messages::MessageHistory;
pub use self::page::{PageRequest, SessionPage, SessionPlace};
pub use self::prune::Prune;
pub use self::record::{RunEntry, SessionRecord, SessionState};
pub use self::store::SessionStore;
pub use self::stream::FeedStream;
pub use windlass_sandbox::EditorFiles;
