//! The moments at which a run is killed: before and after each kind of record, in the middle of one, and
//! during a tool call.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use windlass_agent::Entry;
use windlass_journal::{Durability, Journal, JournalError, Record};
use windlass_protocol::{Effect, Hints, Payload, PlannedFile, RawJson, ReconcileOutcome, ToolSpec};
use windlass_tool::{Context, EarlyArguments, Inspection, Tool, ToolFuture};

/// The kinds of records that such a run writes.
const RECORDS: [&str; 8] =
    ["started", "answered", "judged", "asked", "approval", "intent", "result", "finished"];
/// The tools during whose calls the run is killed.
const TOOLS: [&str; 5] = ["read_file", "edit_file", "apply_patch", "mark", "run_command"];

/// A moment of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    what: What,
    /// The kind of record, or the tool.
    of: String,
    /// The number of the occurrence, from 1.
    nth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Before,
    /// Half of the record is in the file, or a database stores the record at this moment.
    Torn,
    After,
    /// Before the tool does anything.
    Begins,
    /// The tool has done everything, but its result is not recorded yet.
    Ends,
}

const WHATS: [(What, &str); 5] = [
    (What::Before, "before"),
    (What::Torn, "torn"),
    (What::After, "after"),
    (What::Begins, "begins"),
    (What::Ends, "ends"),
];

impl Point {
    /// Returns each named point: at the first occurrence, and at one in the middle of the run.
    pub(crate) fn all() -> Vec<Self> {
        let point = |what, of: &str, nth| Self { what, of: of.to_owned(), nth };
        let of_records = RECORDS.iter().flat_map(|of| {
            let whats = [What::Before, What::Torn, What::After];
            let nths: &[usize] = if matches!(*of, "started" | "finished") { &[1] } else { &[1, 4] };
            whats.into_iter().flat_map(move |what| nths.iter().map(move |nth| point(what, of, *nth)))
        });
        let of_tools = TOOLS.iter().flat_map(|of| {
            [What::Begins, What::Ends]
                .into_iter()
                .flat_map(move |what| [1, 3].map(|nth| point(what, of, nth)))
        });
        of_records.chain(of_tools).collect()
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = WHATS.iter().find(|(what, _)| *what == self.what).map_or("", |(_, name)| name);
        write!(f, "{name}:{}:{}", self.of, self.nth)
    }
}

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a point");
        let mut parts = text.splitn(3, ':');
        let (Some(what), Some(of), Some(nth)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong());
        };
        let (what, _) = WHATS.iter().find(|(_, name)| *name == what).ok_or_else(wrong)?;
        Ok(Self { what: *what, of: of.to_owned(), nth: nth.parse().map_err(|_| wrong())? })
    }
}

/// Ends this process like a kill from outside: nothing is flushed or dropped.
fn die() -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    loop {
        std::thread::park();
    }
}

/// A counter of occurrences that triggers at the point.
#[derive(Clone)]
struct Fuse {
    point: Option<Point>,
    seen: Arc<AtomicUsize>,
}

impl Fuse {
    fn new(point: Option<Point>) -> Self {
        Self { point, seen: Arc::default() }
    }

    /// Counts an occurrence. Returns true if it is the point.
    fn burns(&self, what: What, of: &str) -> bool {
        let is_it = self.point.as_ref().is_some_and(|point| point.what == what && point.of == of);
        is_it
            && self.seen.fetch_add(1, Ordering::SeqCst) + 1
                == self.point.as_ref().map_or(0, |point| point.nth)
    }
}

/// The time after which a process dies while a database stores a record.
const IN_FLIGHT: Duration = Duration::from_micros(300);

/// A journal that reports each stored record, and kills its process at its point.
pub(super) struct Dying {
    inner: Box<dyn Journal + Send>,
    /// The file of the journal. A database has none.
    file: Option<PathBuf>,
    fuse: Fuse,
}

impl Dying {
    pub(super) fn new(
        inner: impl Journal + Send + 'static,
        file: Option<PathBuf>,
        point: Option<Point>,
    ) -> Self {
        Self { inner: Box::new(inner), file, fuse: Fuse::new(point) }
    }

    /// Dies in the middle of storing a record. In a file, the first half of a line is written, as by an
    /// interrupted write. In a database, the process dies while the statement is in flight.
    fn tear(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> ! {
        if let Some(path) = &self.file {
            let half = &body.as_str().as_bytes()[..body.as_str().len() / 2];
            let file = OpenOptions::new().append(true).open(path);
            let _ = file.and_then(|mut file| file.write_all(&[b"00000000 99999 ", half].concat()));
        } else {
            std::thread::spawn(|| {
                std::thread::sleep(IN_FLIGHT);
                die();
            });
            let _ = self.inner.append(body, at_ms, durability);
        }
        die()
    }
}

impl Journal for Dying {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let kind = kind_of(&body);
        if self.fuse.burns(What::Before, &kind) {
            die();
        }
        if self.fuse.burns(What::Torn, &kind) {
            self.tear(body, at_ms, durability);
        }
        let seq = self.inner.append(body, at_ms, durability)?;
        // The record counts as stored from here on, because it is reported.
        let _ = writeln!(std::io::stdout(), "kept {seq}");
        if self.fuse.burns(What::After, &kind) {
            die();
        }
        Ok(seq)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.inner.records()
    }
}

fn kind_of(body: &RawJson) -> String {
    let entry = serde_json::from_str::<Entry>(body.as_str()).ok();
    let value = entry.and_then(|entry| serde_json::to_value(entry).ok());
    value.and_then(|value| value["entry"].as_str().map(str::to_owned)).unwrap_or_default()
}

/// A tool that can kill its process during a call.
pub(super) struct Deadly {
    pub(super) inner: Arc<dyn Tool>,
    fuse: Fuse,
}

impl Deadly {
    pub(super) fn new(inner: Arc<dyn Tool>, point: Option<Point>) -> Self {
        Self { inner, fuse: Fuse::new(point) }
    }
}

impl Tool for Deadly {
    fn spec(&self) -> &ToolSpec {
        self.inner.spec()
    }

    fn hints(&self) -> Hints {
        self.inner.hints()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        self.inner.effects(payload)
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        self.inner.early_effects(complete)
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        self.inner.inspect(payload)
    }

    fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        self.inner.aftermath(planned)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        let name = self.spec().name().as_str().to_owned();
        Box::pin(async move {
            if self.fuse.burns(What::Begins, &name) {
                die();
            }
            let output = self.inner.call(ctx, payload).await;
            if self.fuse.burns(What::Ends, &name) {
                die();
            }
            output
        })
    }
}
