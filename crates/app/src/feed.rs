//! The feed: the numbered events of a session, which every front end reads.
//!
//! An event is either numbered or a delta. Numbered events follow from the records of a run and from what happened
//! beside them, and have the same numbers in every process, also after a process was killed. Deltas show what is not
//! recorded yet. [`SessionHost::watch`](crate::sessions::SessionHost::watch) returns the feed of a session from any
//! number on.

mod agent_tokens;
mod card;
mod convert;
mod event;
mod follower;
mod hub;
mod kind;
mod live;
mod log;
mod reader;
mod records;
mod reported_tokens;
mod schema;
mod windows;
mod writer;

pub use self::card::{
    CallCard, CardChange, CardEffect, CardPath, CitedSource, MessageSource, Question, QuestionEnd,
    RunOutcome, Tokens,
};
pub(crate) use self::convert::{card as call_card, guidance_id};
pub use self::event::{AgentPath, FEED_VERSION, FeedEvent, FeedHeader};
pub(crate) use self::follower::FeedFollower;
pub(crate) use self::hub::{Feed, Subscription};
pub use self::kind::FeedKind;
pub(crate) use self::live::outcome_of;
pub(crate) use self::log::{FeedIdentity, NumberedEvents};
pub(crate) use self::reader::{find_closing, find_open};
pub use self::schema::feed_schema;
pub(crate) use self::windows::AnswerWindows;
pub use self::writer::RunFeed;
pub(crate) use self::writer::{GuidanceSlot, now_ms};
