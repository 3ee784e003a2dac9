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
mod replay;
mod run_journal;
mod session;
mod session_options;
mod shared_run;
mod stop_request;
#[cfg(feature = "workflow")]
mod workflow;

pub(crate) use self::answers::read_answer;
pub use self::answers::{RunAnswers, StoredAnswer, store_answer};
pub use self::checkpoints::{find_after_turn, find_before_turn, format_diff, open_checkpoints};
pub(crate) use self::feed_log::read_run;
pub use self::file_history::{FileHistory, RestorePlan};
pub use self::folder::RunFolder;
pub(crate) use self::folder::{is_id, new_id, no_random_bytes};
pub use self::inbox::{Inbox, leave_message};
pub(crate) use self::inbox::{leave_compaction, leave_stop};
pub(crate) use self::live_answers::{LiveAnswers, LiveGuidance, wait_for_words};
pub use self::message_time::MessageTime;
pub use self::open_questions::OpenQuestions;
pub use self::recording::Recording;
pub use self::replay::Replay;
pub use self::session::{Session, build_worker_agent};
pub use self::session_options::SessionOptions;
pub(crate) use self::stop_request::{StopRequest, stop_call};
#[cfg(feature = "workflow")]
pub use self::workflow::WorkflowSession;
