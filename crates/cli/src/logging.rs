//! `-v`: a log file with the diagnostics of the program and of the libraries below it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt, registry};
use windlass_app::feed::FeedEvent;
use windlass_app::{App, secrets, variable};

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
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // Patterns for the values of fields would be regular expressions, whose cost the environment decides.
    let filter = EnvFilter::builder().with_regex(false).with_default_directive(level.into());
    let text = variable(VARIABLE).unwrap_or_default();
    let filter = filter
        .parse(&text)
        .with_context(|| format!("{VARIABLE} cannot be used: {text:?} is not a filter"))?;
    let folder = app.state_folder()?.join(FOLDER);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let path = folder.join(format!("{seconds}-{}.log", std::process::id()));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let file = file.with_context(|| format!("the log {} cannot be created", path.display()))?;
    let layer = fmt::layer()
        .with_ansi(false)
        .with_timer(fmt::time::uptime())
        .with_writer(Mutex::new(LogFile { file, size: 0 }));
    // This also collects the lines of libraries that use the crate `log`.
    registry().with(filter).with(layer).try_init().context("another log is active")?;
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

/// A log file of bounded size. Its lines are redacted.
struct LogFile {
    file: File,
    /// Number of bytes in the file.
    size: u64,
}

impl io::Write for LogFile {
    /// Writes one event. Line breaks of the event are escaped, so that its text cannot look like another event.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(event);
        let line = line.trim_end_matches('\n').replace('\n', "\\n");
        let line = format!("{}\n", secrets::environment_redactor().redact(&line));
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        self.size = self.size.saturating_add(length);
        if self.size <= MAX_BYTES {
            // A log that cannot be written must not stop the work.
            let _ = self.file.write_all(line.as_bytes());
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
