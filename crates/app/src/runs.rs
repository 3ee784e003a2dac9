//! Runs: their folders, open questions and answers, messages, recordings and checkpoints, and how they start.

mod answers;
mod checkpoints;
mod feed_log;
mod feeds;
mod file_history;
mod folder;
mod inbox;
mod live_answers;
mod message_time;
mod open_questions;
mod recording;
mod session;
mod shared_run;
#[cfg(feature = "workflow")]
mod workflow;

pub use self::answers::{RunAnswers, StoredAnswer, store_answer};
pub use self::checkpoints::{find_after_turn, find_before_turn, format_diff, open_checkpoints};
pub(crate) use self::feed_log::read_run;
pub use self::file_history::{FileHistory, RestorePlan};
pub use self::folder::RunFolder;
pub(crate) use self::folder::new_id;
pub use self::inbox::{Inbox, leave_message};
pub(crate) use self::live_answers::LiveAnswers;
pub use self::message_time::MessageTime;
pub use self::open_questions::OpenQuestions;
pub use self::recording::Recording;
pub use self::session::{Replay, Session, SessionOptions, build_worker_agent};
#[cfg(feature = "workflow")]
pub use self::workflow::WorkflowSession;
