//! Recorded requests that a provider accepted are decoded to `Request`, encoded again, and compared.
//!
//! Another order of keys is not a difference. Values that are equal for the API are normalized by a format's
//! `plain` before the two are compared; every other difference is named with the rule that decides it. The
//! linter finds nothing in them.
#![expect(clippy::print_stdout, reason = "the counts are the result")]

use serde_json::Value;
use windlass_protocol::Refusal;
use windlass_testkit::{Need, corpora, require};
use windlass_wire::{Server, Wire};

use crate::corpus_streams::status;

/// A request that does not come out as it went in, the rule that decides it, and why.
pub(crate) type Difference = (&'static str, &'static str, &'static str);

/// The parts of one format that the comparison needs.
pub(crate) struct Format<'a> {
    /// The folder of its recordings.
    pub(crate) api: &'static str,
    /// Its client's side, which adds nothing beyond the request.
    pub(crate) wire: &'a dyn Wire,
    /// Its provider's side.
    pub(crate) server: &'a dyn Server,
    /// Where its requests go.
    pub(crate) path: &'static str,
    /// Returns the body in a normal form, without differences that have no meaning for the API.
    pub(crate) plain: fn(&Value) -> Value,
    /// Requests that a round trip (decode, encode) changes, and the change.
    pub(crate) differences: &'static [Difference],
    /// Requests in which the linter finds something, though the API took them.
    pub(crate) exceptions: &'static [Difference],
    /// Number of values that are known to be unchanged by a round trip.
    pub(crate) floor: usize,
}

/// The accepted requests of a folder, by the names of their descriptions.
pub(crate) fn accepted(api: &str) -> Result<Vec<(String, Value)>, String> {
    let folder = corpora::find(&format!("streams/{api}"))?;
    let metas = corpora::files(&folder).into_iter().filter(|(file, _)| file.ends_with(".meta.json"));
    let requests = metas.filter_map(|(file, meta)| {
        let mut meta: Value = serde_json::from_slice(&meta).unwrap();
        let is_accepted = meta["request"].is_object() && !meta["status"].is_null() && status(&meta) == 200;
        is_accepted.then(|| (file, meta["request"].take()))
    });
    Ok(requests.collect())
}

#[derive(Default)]
struct Count {
    same: usize,
    named: usize,
    unexplained: Vec<String>,
}

impl Count {
    /// Counts a case that agrees, differs by a named rule, or fails.
    fn add(&mut self, file: &str, problem: Option<String>, table: &[Difference]) {
        match (problem, table.iter().find(|(name, ..)| file.trim_end_matches(".meta.json") == *name)) {
            (None, None) => self.same += 1,
            (None, Some(_)) => self.unexplained.push(format!("{file} is listed, but has no difference")),
            (Some(_), Some((_, rule, why))) => {
                println!("corpus: {file} differs by {rule}: {why}");
                self.named += 1;
            }
            (Some(problem), None) => self.unexplained.push(format!("{file}\n {problem}")),
        }
    }

    #[track_caller]
    fn check(&self) {
        let Self { unexplained, .. } = self;
        assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    }
}

fn difference(format: &Format<'_>, recorded: &Value) -> Option<String> {
    let body = serde_json::to_vec(recorded).unwrap();
    let wanted = (format.plain)(recorded);
    let asked = match format.server.decode_request(format.path, &body) {
        Ok(asked) => asked,
        Err(error) => return Some(format!("not read: {error}\n wanted {wanted}")),
    };
    match format.wire.encode(&asked.request) {
        Ok(http) => {
            let met = (format.plain)(&serde_json::from_slice(&http.body).unwrap());
            (met != wanted).then(|| format!("met    {met}\n wanted {wanted}"))
        }
        Err(error) => Some(format!("not written: {error}\n wanted {wanted}")),
    }
}

/// Every accepted request goes through `decode_request` and back through `encode`.
#[track_caller]
pub(crate) fn check(format: &Format<'_>) {
    let requests = require!(Need::Corpora, accepted(format.api));
    let mut count = Count::default();
    for (file, recorded) in &requests {
        count.add(file, difference(format, recorded), format.differences);
    }
    println!(
        "corpus: {} golden requests: {} of {} come out as they went in, {} by a named rule",
        format.api,
        count.same,
        requests.len(),
        count.named
    );
    count.check();
    assert!(
        count.same >= format.floor,
        "at least {} come out as they went in, not {}",
        format.floor,
        count.same
    );
}

/// The linter finds nothing in an accepted request.
#[track_caller]
pub(crate) fn check_lint(format: &Format<'_>) {
    let requests = require!(Need::Corpora, accepted(format.api));
    let (mut count, mut read) = (Count::default(), 0);
    for (file, recorded) in &requests {
        let body = serde_json::to_vec(recorded).unwrap();
        // Values outside of the format are named where requests are compared.
        let Ok(asked) = format.server.decode_request(format.path, &body) else { continue };
        read += 1;
        let refusals: Vec<String> =
            format.wire.check(&asked.request).iter().map(Refusal::to_string).collect();
        let problem = (!refusals.is_empty()).then(|| refusals.join("; "));
        count.add(file, problem, format.exceptions);
    }
    println!(
        "corpus: {} linter: nothing in {} of {read} accepted requests, {} by a named rule",
        format.api, count.same, count.named
    );
    count.check();
}
