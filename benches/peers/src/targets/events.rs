//! T8: splitting a provider's stream into events.

use crate::measure::{Session, count};
use crate::row::Row;
use crate::work::{Case, find};

const BYTES: usize = 1_000_000;
const PEERS: [&str; 3] = ["sse-stream", "sse-core", "sseer"];

/// T8: compares windlass's SSE parser with the fastest crate, and with a bare scan for line ends.
pub(super) fn events(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    for (stream, target, aim) in [("openai", 2.0, 1.3), ("anthropic", 2.5, 1.6)] {
        for chunk in [16_384, 100] {
            rows.push(against_best(session, &Case::with_chunks(stream, BYTES, chunk)));
        }
        let case = Case::with_chunks(stream, BYTES, 16_384);
        let ratio = session.instructions_ratio("sse", "memchr2", &case);
        let what = format!("{case}: sse / memchr2 over line ends");
        rows.push(Row::new("T8", what, "Ir ratio", ratio).at_most(target, aim));
        rows.push(times(session, &case));
    }
    rows
}

fn against_best(session: &mut Session, case: &Case) -> Row {
    let events = count(find("sse", case).map_or(0, |work| work.units));
    let own = session.instructions("sse", case);
    let said = |own: &f64| format!("Ir an event: sse {:.0}", own / events);
    let mut notes: Vec<String> = own.as_ref().map(said).into_iter().collect();
    let mut best: Option<(f64, &str)> = None;
    for peer in PEERS {
        match session.instructions(peer, case) {
            Ok(figure) => {
                notes.push(format!("{peer} {:.0}", figure / events));
                if best.is_none_or(|(least, _)| figure < least) {
                    best = Some((figure, peer));
                }
            }
            Err(reason) => notes.push(format!("left out: {reason}")),
        }
    }
    let name = best.map_or("the best crate", |(_, peer)| peer);
    let ratio = own.and_then(|own| Ok(own / best.ok_or("no peer was counted")?.0));
    let row = Row::new("T8", format!("{case}: sse / {name}"), "Ir ratio", ratio);
    row.at_most(0.6, 0.35).note(notes.join(", "))
}

/// Times of all peers, including eventsource-stream.
fn times(session: &mut Session, case: &Case) -> Row {
    let own = session.time("sse", case);
    let peers = ["memchr2", "sse-stream", "sse-core", "sseer", "eventsource-stream"];
    let note = session.times_of(&peers, case);
    Row::new("T8", format!("{case}: sse"), "ns an event", own).note(note)
}
