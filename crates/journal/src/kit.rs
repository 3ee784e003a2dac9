//! Conformance of journals. A journal that passes can hold the record of a run.

use std::fmt;

use windlass_protocol::RawJson;

use crate::{AsyncJournal, Durability, Journal, JournalError, Record};

/// The number of records of the long journal.
const MANY: u64 = 300;

/// Bodies that a store can damage: every kind of JSON, white space, escapes, long numbers and long texts.
fn bodies() -> Vec<String> {
    let mut bodies: Vec<String> = [
        "null",
        "{}",
        "[]",
        r#"{"b":1,"a":{"z":[1,2.50,-0.0,1e400,123456789012345678901234567890]}}"#,
        r#"  {"space" : "kept"}  "#,
        r#""\u0000 \ud83d\ude00 ' \" ; -- %""#,
        "\"日本語 é 👩‍👩‍👧‍👦\"",
        r#"{"same":1,"same":2}"#,
    ]
    .map(str::to_owned)
    .into();
    bodies.push(format!("\"{}\"", "x".repeat(1 << 20)));
    bodies
}

/// A property that a journal does not have.
#[derive(Debug)]
#[non_exhaustive]
pub enum Violation {
    /// The journal returned an error.
    Failed {
        /// The operation.
        doing: &'static str,
        /// The error.
        source: JournalError,
    },
    /// A record was not returned as it was appended.
    Differs {
        /// The number of the record.
        seq: u64,
        /// The difference.
        what: String,
    },
    /// The journal does not return as many records as it should.
    Count {
        /// The number of appended records.
        expected: usize,
        /// The number of returned records.
        returned: usize,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { doing, .. } => write!(f, "the journal cannot be {doing}"),
            Self::Differs { seq, what } => write!(f, "record {seq} differs: {what}"),
            Self::Count { expected, returned } => {
                write!(f, "{expected} records were appended, and {returned} were returned")
            }
        }
    }
}

impl std::error::Error for Violation {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Checks a journal. `open` opens the same empty storage each time it is called; the journal that it returned before has been
/// dropped by then. A journal that does not outlive its value returns a shared handle.
///
/// The kit appends bodies of every kind with both durabilities, reads them back, opens the journal again and continues. It does not test a
/// crash of the machine.
///
/// ```
/// use windlass_journal::{FileJournal, kit};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("run.jsonl");
/// kit::check_journal(|| match path.exists() {
///     true => FileJournal::open(&path).map(|(journal, _)| journal),
///     false => FileJournal::create(&path),
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the first property that the journal does not have.
pub fn check_journal<J: Journal>(mut open: impl FnMut() -> Result<J, JournalError>) -> Result<(), Violation> {
    let mut expected = Vec::new();
    for round in 0..2 {
        let mut journal = open().map_err(|source| to_violation("opened", source))?;
        compare(&expected, &journal.records().map_err(|source| to_violation("read", source))?)?;
        for (body, durability) in records_of(round) {
            let record = Record::new(expected.len() as u64, time(expected.len()), body);
            let appended = journal.append(record.body.clone(), record.at_ms, durability);
            check_number(record.seq, appended.map_err(|source| to_violation("written", source))?)?;
            expected.push(record);
        }
        compare(&expected, &journal.records().map_err(|source| to_violation("read", source))?)?;
        compare(&expected, &journal.records().map_err(|source| to_violation("read", source))?)?;
    }
    let journal = open().map_err(|source| to_violation("opened", source))?;
    compare(&expected, &journal.records().map_err(|source| to_violation("read", source))?)
}

/// Like [`check_journal`], for an asynchronous journal.
///
/// # Errors
/// Returns the first property that the journal does not have.
pub async fn check_async_journal<J: AsyncJournal>(
    mut open: impl AsyncFnMut() -> Result<J, JournalError>,
) -> Result<(), Violation> {
    let mut expected = Vec::new();
    for round in 0..2 {
        let mut journal = open().await.map_err(|source| to_violation("opened", source))?;
        compare(&expected, &journal.records().await.map_err(|source| to_violation("read", source))?)?;
        for (body, durability) in records_of(round) {
            let record = Record::new(expected.len() as u64, time(expected.len()), body);
            let appended = journal.append(record.body.clone(), record.at_ms, durability).await;
            check_number(record.seq, appended.map_err(|source| to_violation("written", source))?)?;
            expected.push(record);
        }
        compare(&expected, &journal.records().await.map_err(|source| to_violation("read", source))?)?;
    }
    let journal = open().await.map_err(|source| to_violation("opened", source))?;
    compare(&expected, &journal.records().await.map_err(|source| to_violation("read", source))?)
}

/// Returns the bodies of a round: in the first one every kind, in the second one many.
fn records_of(round: u32) -> Vec<(RawJson, Durability)> {
    let texts = match round {
        0 => bodies(),
        _ => (0..MANY).map(|number| format!(r#"{{"number":{number}}}"#)).collect(),
    };
    let raw = texts.into_iter().filter_map(|text| text.parse::<RawJson>().ok());
    raw.zip([Durability::Synced, Durability::Buffered].into_iter().cycle()).collect()
}

/// Times can go backwards, when a clock is set.
fn time(number: usize) -> u64 {
    match number {
        0 => 0,
        1 => u64::from(u32::MAX).saturating_mul(1_000),
        number => 1_790_000_000_000_u64.saturating_sub(number as u64),
    }
}

fn check_number(seq: u64, returned: u64) -> Result<(), Violation> {
    if seq == returned {
        return Ok(());
    }
    Err(Violation::Differs { seq, what: format!("append returned the number {returned}") })
}

fn compare(expected: &[Record], returned: &[Record]) -> Result<(), Violation> {
    if expected.len() != returned.len() {
        return Err(Violation::Count { expected: expected.len(), returned: returned.len() });
    }
    for (expected, returned) in expected.iter().zip(returned) {
        let seq = expected.seq;
        if returned.seq != seq {
            return Err(Violation::Differs { seq, what: format!("its number is {}", returned.seq) });
        }
        if returned.at_ms != expected.at_ms {
            return Err(Violation::Differs { seq, what: format!("its time is {}", returned.at_ms) });
        }
        if returned.body.as_str() != expected.body.as_str() {
            let what = "its body is another text; store it as text, not as parsed JSON".to_owned();
            return Err(Violation::Differs { seq, what });
        }
    }
    Ok(())
}

fn to_violation(doing: &'static str, source: JournalError) -> Violation {
    Violation::Failed { doing, source }
}
