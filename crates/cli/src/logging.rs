//! `-v`: a log file with the diagnostics of the program and of the libraries below it.

mod filter;

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use windlass_app::feed::FeedEvent;
use windlass_app::{App, secrets, variable};

use self::filter::Filter;
use crate::output;

/// Folder of the log files in the state folder, which tools cannot reach.
const FOLDER: &str = "logs";

/// Variable with the filter, in the form of other Rust programs: `info`, `hyper_util=trace,rmcp=debug`.
const VARIABLE: &str = "RUST_LOG";

/// Maximum size of a log file in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Starts to log into a new file if `-v` is given, and prints the path of the file.
///
/// # Errors
///
/// Fails if the filter is invalid, or if the file cannot be created.
pub(crate) fn start(verbosity: u8, app: &App) -> anyhow::Result<()> {
    let level = match verbosity {
        0 => return Ok(()),
        1 => Level::INFO,
        2 => Level::DEBUG,
        _ => Level::TRACE,
    };
    let filter = match variable(VARIABLE) {
        Some(text) => Filter::parse(&text).with_context(|| format!("{VARIABLE} cannot be used"))?,
        None => Filter::of_level(level),
    };
    let folder = app.state_folder()?.join(FOLDER);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let path = folder.join(format!("{seconds}-{}.log", std::process::id()));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let file = file.with_context(|| format!("the log {} cannot be created", path.display()))?;
    let log =
        LogFile { filter, began: Instant::now(), state: Mutex::new((file, 0)), spans: AtomicU64::new(1) };
    tracing::subscriber::set_global_default(log).context("another log is active")?;
    output::note(&format!("log: {}", path.display()));
    tracing::info!(version = env!("WINDLASS_VERSION"), "windlass");
    Ok(())
}

/// Logs the numbers and the kinds of events, without their content.
pub(crate) fn log_events(events: &[FeedEvent]) {
    if !tracing::enabled!(Level::DEBUG) {
        return;
    }
    for event in events {
        let kind = serde_json::to_value(event).ok();
        let kind = kind.as_ref().and_then(|event| event.get("kind")?.as_str()).unwrap_or_default();
        tracing::debug!(seq = event.seq, run = event.run, kind, "event");
    }
}

/// A subscriber that writes events to a file and ignores spans.
struct LogFile {
    filter: Filter,
    began: Instant,
    /// The file, and the number of bytes in it.
    state: Mutex<(File, u64)>,
    spans: AtomicU64,
}

impl Subscriber for LogFile {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.filter.permits(metadata.target(), *metadata.level())
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed).max(1))
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let (metadata, mut words) = (event.metadata(), Words::default());
        event.record(&mut words);
        let line = format!(
            "{:>10.3} {:<5} {}:{}\n",
            self.began.elapsed().as_secs_f64(),
            metadata.level(),
            metadata.target(),
            words.0.replace('\n', "\\n")
        );
        let line = secrets::environment_redactor().redact(&line).into_owned();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let size = state.1.saturating_add(length);
        if size <= MAX_BYTES {
            // A log that cannot be written must not stop the work.
            let _ = state.0.write_all(line.as_bytes());
        }
        state.1 = size;
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The message and the fields of an event as words.
#[derive(Default)]
struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
