//! Whole conversations with tools against the mock, from the task to the final text.

mod genai;
mod lean;
mod openai;
mod rig;
pub mod windlass;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cpu_time::ThreadTime;

use super::{Case, Work};
use crate::mock::Mock;

/// Counters of a running conversation.
#[derive(Clone, Default)]
pub struct Watch {
    deltas: Arc<AtomicUsize>,
    calls: Arc<AtomicUsize>,
    bytes: Arc<AtomicUsize>,
    /// CPU time of the thread at each call, if it is recorded.
    laps: Option<Arc<Mutex<Vec<Duration>>>>,
    /// Number of deltas after which the conversation stops reading; 0 means never.
    pub hold_after: usize,
}

impl Watch {
    /// Counts a delta. Waits forever once the conversation is to be held.
    pub async fn delta(&self) {
        if self.deltas.fetch_add(1, Relaxed) + 1 == self.hold_after {
            std::future::pending::<()>().await;
        }
    }

    /// The tool that all peers call with parsed arguments.
    pub fn call(&self, arguments: &WriteFile) -> &'static str {
        self.calls.fetch_add(1, Relaxed);
        if let Some(mut laps) = self.laps.as_ref().and_then(|laps| laps.lock().ok()) {
            laps.push(ThreadTime::now().as_duration());
        }
        self.bytes.fetch_add(std::hint::black_box(arguments).content.len(), Relaxed);
        "written"
    }

    fn counts(&self) -> (usize, usize) {
        (self.calls.load(Relaxed), self.bytes.load(Relaxed))
    }
}

/// The arguments of the tool.
#[derive(Debug, serde::Deserialize)]
pub struct WriteFile {
    #[expect(dead_code, reason = "read and not used, as all peers do")]
    path: String,
    content: String,
}

/// The tool's name, description and schema, equal for all peers.
pub const NAME: &str = "write_file";
pub const DESCRIPTION: &str = "Writes a file.";
pub const SYSTEM: &str = "You mend small projects.";
pub const TASK: &str = "Mend it.";

pub fn schema() -> serde_json::Value {
    serde_json::json!({
        "type": "object",
        "properties": { "path": { "type": "string" }, "content": { "type": "string" } },
        "required": ["path", "content"],
        "additionalProperties": false,
    })
}

type Ended = Pin<Box<dyn Future<Output = Result<(), String>>>>;

/// A function that holds a conversation with a model at a base URL.
pub type Converse = fn(String, String, Watch) -> Ended;

/// Returns the conversation function of a peer.
pub fn peer(name: &str) -> Option<Converse> {
    Some(match name {
        "windlass" => |base, model, watch| Box::pin(windlass::converse(base, model, watch)),
        "lean" => |base, model, watch| Box::pin(lean::converse(base, model, watch)),
        "async-openai" => |base, model, watch| Box::pin(openai::converse(base, model, watch)),
        "genai" => |base, model, watch| Box::pin(genai::converse(base, model, watch)),
        "rig" => |base, model, watch| Box::pin(rig::converse(base, model, watch)),
        _ => return None,
    })
}

/// Creates a single-threaded runtime, because only one thread is measured.
pub fn runtime() -> tokio::runtime::Runtime {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made")
}

/// Returns the shared HTTP client for peers without their own.
fn http() -> reqwest::Client {
    thread_local!(static ONCE: reqwest::Client = {
        reqwest::Client::builder().no_proxy().build().expect("a client can be made")
    });
    ONCE.with(Clone::clone)
}

/// Returns the CPU time of this thread at each call of one conversation.
///
/// # Errors
/// The conversation did not complete.
pub fn laps(name: &str, bytes: usize, turns: usize) -> Result<Vec<Duration>, String> {
    let (converse, mock) = (peer(name).ok_or("not known")?, Mock::start()?);
    let laps = Arc::default();
    let watch = Watch { laps: Some(Arc::clone(&laps)), ..Watch::default() };
    runtime().block_on(converse(mock.base.clone(), format!("loop-{turns}-{bytes}"), watch))?;
    let laps: Vec<Duration> = laps.lock().map_err(|_| "a call failed")?.clone();
    if laps.len() == turns { Ok(laps) } else { Err(format!("{} calls in {turns} turns", laps.len())) }
}

/// `turns BYTES TURNS`: this many turns with calls of this many bytes. `held BYTES SESSIONS`: this many
/// conversations, each held in the middle of its first call.
pub(super) fn find(name: &str, case: &Case) -> Option<Work> {
    let converse = peer(name)?;
    let count: usize = case.cut.parse().ok()?;
    let bytes = case.bytes;
    match case.workload.as_str() {
        "turns" => {
            let mock = Rc::new(Mock::start().ok()?);
            let runtime = Rc::new(runtime());
            let once = move || {
                let watch = Watch::default();
                let model = format!("loop-{count}-{bytes}");
                runtime.block_on(converse(mock.base.clone(), model, watch.clone()))?;
                match watch.counts() {
                    (calls, sum) if calls == count && sum > 0 => Ok(()),
                    told => Err(format!("{told:?} calls and bytes in {count} turns")),
                }
            };
            let run = once.clone();
            Some(Work::new(count, move || run().expect("it was checked"), once))
        }
        "held" => {
            let mock = Mock::start().ok()?;
            let run = move || {
                let runtime = runtime();
                let model = format!("loop-1-{bytes}");
                let sessions = (0..count).map(|_| {
                    let watch = Watch { hold_after: 50, ..Watch::default() };
                    converse(mock.base.clone(), model.clone(), watch)
                });
                let all = futures_util::future::join_all(sessions);
                runtime.block_on(async { tokio::time::timeout(Duration::from_secs(8), all).await.ok() });
            };
            Some(Work::new(count, run, || Ok(())))
        }
        _ => None,
    }
}
