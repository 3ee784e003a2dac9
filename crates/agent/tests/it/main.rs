//! Complete runs with a scripted model that sends real bytes, fake tools, policy, approvals and a journal.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agent_tool;
mod ahead;
mod approver;
mod breaking;
mod call_batch;
mod checkpoints;
mod coercion;
mod context;
mod early;
mod edits;
mod events;
mod extension_kits;
mod extensions;
mod grants;
mod hooks;
mod hosted;
mod images;
mod kit;
mod learned;
mod links;
mod modes;
mod order;
mod own_tools;
mod partial;
mod programs;
mod prompt_cache;
mod protocol;
mod redacting;
mod repeated;
mod request_options;
mod resume;
mod reviewer;
mod run;
mod run_handle;
mod scene;
#[cfg(feature = "typed")]
mod schemas;
mod session;
mod suspension;
#[cfg(feature = "typed")]
mod typed;
#[cfg(feature = "typed")]
mod typed_calls;
#[cfg(feature = "typed")]
mod typed_recorded;
#[cfg(feature = "typed")]
mod typed_stream;
