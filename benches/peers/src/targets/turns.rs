//! L1 to L4, M5 and M6: whole conversations over HTTP.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use windlass_agent::{CallStart, Outcome, RunOptions, UnansweredPolicy};
use windlass_hitl::Autonomy;
use windlass_journal::{Durability, FileJournal, Journal, JournalError, Record};
use windlass_protocol::{Effect, Hints, Payload, RawJson, ToolName, ToolSpec};
use windlass_tool::Output;
use windlass_toolbox::CallbackTool;

use crate::measure::{Session, count};
use crate::mock::Mock;
use crate::row::Row;
use crate::work::turns::windlass::{agent, anthropic_agent, converse_with, write_file};
use crate::work::turns::{Watch, laps, runtime};
use crate::work::{Case, size};

const PEERS: [&str; 5] = ["lean", "windlass", "async-openai", "genai", "rig"];
const ARGUMENTS: usize = 4_096;

/// L1: the cost of a turn.
pub(super) fn cost(session: &mut Session) -> Vec<Row> {
    const TURNS: usize = 10;
    let case = Case::new("turns", ARGUMENTS, &TURNS.to_string());
    let per_turn = |figure: f64| figure / count(TURNS);
    let costs: Vec<_> = PEERS
        .iter()
        .map(|peer| {
            let allocations = session.heap(peer, &case, 1).map(|heap| per_turn(count(heap.allocations)));
            let instructions = session.instructions(peer, &case).map(per_turn);
            (*peer, allocations, instructions)
        })
        .collect();
    let mut rows = Vec::new();
    for unit in ["alloc. ratio", "Ir ratio"] {
        let of = |name: &str| {
            let (_, allocations, instructions) =
                costs.iter().find(|(peer, ..)| *peer == name).ok_or("not measured")?;
            if unit == "Ir ratio" { instructions.clone() } else { allocations.clone() }
        };
        for peer in PEERS.iter().filter(|peer| **peer != "windlass") {
            let (own, theirs) = (of("windlass"), of(peer));
            let note = match (&own, &theirs) {
                (Ok(own), Ok(theirs)) => format!("{own:.0} a turn against {theirs:.0}"),
                _ => String::new(),
            };
            let row = if *peer == "lean" {
                let ratio = own.and_then(|own| Ok(own / theirs?));
                Row::new("L1", format!("{TURNS} turns of {}: windlass / lean", size(ARGUMENTS)), unit, ratio)
                    .at_most(1.5, 1.1)
            } else {
                let ratio = own.and_then(|own| Ok(theirs? / own));
                let at_least = if *peer == "rig" { 12.0 } else { 3.0 };
                Row::new(
                    "L1",
                    format!("{TURNS} turns of {}: {peer} / windlass", size(ARGUMENTS)),
                    unit,
                    ratio,
                )
                .at_least(at_least, at_least)
            };
            rows.push(row.note(note));
        }
    }
    rows
}

/// L2: the growth of a turn's cost with the length of the conversation.
pub(super) fn growth(session: &mut Session) -> Vec<Row> {
    const WINDOW: usize = 20;
    let mut rows = Vec::new();
    for peer in ["windlass", "lean"] {
        let at = |turns: usize| Case::new("turns", ARGUMENTS, &turns.to_string());
        let mut window = |turns: usize| {
            let cases = [at(turns), at(turns + WINDOW)];
            Ok::<_, String>(session.difference(peer, &cases)? / count(WINDOW))
        };
        let figures = window(100).and_then(|early| Ok((early, window(800)?)));
        rows.push(growth_row(peer, "Ir ratio", figures));
    }
    for peer in PEERS {
        eprintln!("timing {peer} over 820 turns");
        let figures = laps(peer, ARGUMENTS, 820).map(|laps| {
            let window =
                |from: usize| (laps[from + WINDOW - 1] - laps[from - 1]).as_secs_f64() * 1e6 / count(WINDOW);
            (window(100), window(800))
        });
        rows.push(growth_row(peer, "CPU ratio", figures));
    }
    rows
}

fn growth_row(peer: &str, unit: &'static str, figures: Result<(f64, f64), String>) -> Row {
    let what = format!("{peer}: a turn after 800 turns / after 100");
    let said = |(early, late): &(f64, f64)| match unit {
        "Ir ratio" => format!("{late:.0} Ir against {early:.0}"),
        _ => format!("{late:.0} us of user and kernel against {early:.0}"),
    };
    let note = figures.as_ref().map(said).unwrap_or_default();
    let row = Row::new("L2", what, unit, figures.map(|(early, late)| late / early)).note(note);
    if peer == "windlass" { row.at_most(1.2, 1.0) } else { row }
}

/// L3: memory per conversation while its answer streams and the consumer has stopped reading.
pub(super) fn measure_backpressure(session: &mut Session) -> Vec<Row> {
    const SESSIONS: usize = 1_000;
    let case = Case::new("held", 65_536, &SESSIONS.to_string());
    let mut rows: Vec<Row> = PEERS
        .iter()
        .map(|peer| {
            let peak = session.heap(peer, &case, 0).map(|heap| count(heap.peak) / count(SESSIONS) / 1024.0);
            let row = Row::new("L3", format!("{peer}: {SESSIONS} sessions in mid-stream, each"), "KB", peak);
            if *peer == "windlass" { row.at_most(64.0, 24.0) } else { row }
        })
        .collect();
    rows.push(measure_suspension());
    rows
}

/// Measures the memory that a run suspended for an approval leaves in its process.
fn measure_suspension() -> Row {
    const SESSIONS: usize = 100;
    let left = Mock::start().and_then(|mock| {
        let runtime = runtime();
        let run = || {
            let builder = agent(&mock.base, "loop-1-4096", write_file(&Watch::default())?)?;
            let agent = builder.autonomy(Autonomy::Ask).on_unanswered(UnansweredPolicy::Suspend).build();
            let ended = runtime.block_on(agent.map_err(|error| error.to_string())?.run("Mend it."));
            match ended.map_err(|error| error.to_string())?.outcome {
                Outcome::Suspended { .. } => Ok(()),
                other => Err(format!("{other:?}")),
            }
        };
        // Allocations of the first run belong to the process: connections and buffers of the runtime.
        run()?;
        run()?;
        let (ended, heap) = crate::heap::count(|| (0..SESSIONS).try_for_each(|_| run()));
        let left = if heap.left > usize::MAX / 2 { 0 } else { heap.left };
        ended.map(|()| if left == 0 { 0.0 } else { count(left) / count(SESSIONS) / 1024.0 })
    });
    Row::new("L3", "windlass: 100 suspended sessions leave in their process, each", "KB", left)
        .at_most(0.5, 0.0)
}

/// L4: the same run with a synced journal and with an unsynced one.
pub(super) fn journal(_: &mut Session) -> Vec<Row> {
    const ROUNDS: usize = 5;
    let folder = std::env::temp_dir().join(format!("windlass-peers-{}", std::process::id()));
    let figures = std::fs::create_dir_all(&folder).map_err(|error| error.to_string()).and_then(|()| {
        let (mock, runtime) = (Mock::start()?, runtime());
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS * 2 {
            let path = folder.join(format!("journal-{round}"));
            let journal = FileJournal::create(path).map_err(|error| error.to_string())?;
            let options = match round % 2 {
                0 => RunOptions::default().with_journal(NoSyncJournal(journal)),
                _ => RunOptions::default().with_journal(journal),
            };
            let watch = Watch::default();
            let agent = agent(&mock.base, "paced-5-250-4", write_file(&watch)?)?;
            let agent = agent.build().map_err(|error| error.to_string())?;
            let began = Instant::now();
            runtime.block_on(converse_with(&agent, options, &watch))?;
            times[round % 2].push(began.elapsed());
        }
        Ok(times.map(|mut times| {
            times.sort_unstable();
            times[ROUNDS / 2].as_secs_f64() * 1e3
        }))
    });
    drop(std::fs::remove_dir_all(&folder));
    let note = figures.as_ref().map(|[without, with]| format!("{with:.1} ms against {without:.1}"));
    let what = "5 turns at the demo's pace: journal with fsync / without";
    let ratio = figures.as_ref().map(|[without, with]| with / without).map_err(Clone::clone);
    vec![Row::new("L4", what, "times", ratio).at_most(1.1, 1.02).note(note.unwrap_or_default())]
}

/// A journal that does not sync to disk.
struct NoSyncJournal(FileJournal);

impl Journal for NoSyncJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, _: Durability) -> Result<u64, JournalError> {
        self.0.append(body, at_ms, Durability::Buffered)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.0.records()
    }
}

/// M5: start of the first of three calls in one answer, while the answer streams and after it.
pub(super) fn early(_: &mut Session) -> Vec<Row> {
    let row = |format: &str| {
        let first = |start: CallStart| first_start(format, start);
        let figures = first(CallStart::Early).and_then(|early| Ok((early, first(CallStart::AfterAnswer)?)));
        let milliseconds = |time: &Duration| time.as_secs_f64() * 1e3;
        let note = figures.as_ref().map(|(early, late)| {
            format!("{:.0} ms against {:.0}, a token each 12 ms", milliseconds(early), milliseconds(late))
        });
        let ratio = figures.as_ref().map(|(early, late)| milliseconds(late) / milliseconds(early));
        let what =
            format!("{format}, three calls in an answer: first start after the answer / while it streams");
        Row::new("M5", what, "times", ratio.map_err(Clone::clone)).note(note.unwrap_or_default())
    };
    let chat = "a call of this format has no end of its own before the answer's";
    vec![row("anthropic"), row("openai-chat").note(chat)]
}

/// Returns the time from the start of the run to the start of its first call.
fn first_start(format: &str, start: CallStart) -> Result<Duration, String> {
    let (mock, runtime) = (Mock::start()?, runtime());
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let told = times.clone();
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"why":{"type":"string"}}}"#;
    let schema = schema.parse().map_err(|_| "the schema is JSON")?;
    let name = ToolName::new("read_file").map_err(|error| error.to_string())?;
    let tool = CallbackTool::new(ToolSpec::function(name, "Reads a file.", schema), move |_, _: Payload| {
        let told = told.clone();
        async move {
            if let Ok(mut told) = told.lock() {
                told.push(Instant::now());
            }
            Ok(Output::text("fn main() {}"))
        }
    });
    let tool = tool
        .with_hints(Hints::read_only())
        .with_effects(|_| vec![Effect::Read { path: "src/file.rs".into() }]);
    let agent = if format == "anthropic" { anthropic_agent } else { agent };
    let agent = agent(&mock.base, "three-12", Arc::new(tool))?.call_start(start);
    let agent = agent.build().map_err(|error| error.to_string())?;
    let began = Instant::now();
    runtime.block_on(converse_with(&agent, RunOptions::default(), &Watch::default()))?;
    let first = times.lock().ok().and_then(|times| times.first().copied()).ok_or("no call began")?;
    Ok(first - began)
}

/// M6: a run of 1,000 turns, and a run with 10 MB of arguments.
pub(super) fn long(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    let laps = laps("windlass", ARGUMENTS, 1_000);
    let window = |laps: &[Duration], from: usize| (laps[from + 99] - laps[from - 1]).as_secs_f64() * 1e4;
    let figures = laps.map(|laps| (window(&laps, 100), window(&laps, 900)));
    let note = figures.as_ref().map(|(early, late)| format!("{late:.0} us a turn against {early:.0}"));
    let ratio = figures.as_ref().map(|(early, late)| late / early).map_err(Clone::clone);
    rows.push(
        Row::new("M6", "1,000 turns: the last hundred / the second", "CPU ratio", ratio)
            .note(note.unwrap_or_default()),
    );
    let peak = |session: &mut Session, bytes: usize, turns: usize| {
        let heap = session.heap("windlass", &Case::new("turns", bytes, &turns.to_string()), 0)?;
        Ok::<f64, String>(count(heap.peak) / count(bytes * turns))
    };
    for (bytes, turns) in [(ARGUMENTS, 100), (ARGUMENTS, 1_000), (1_000_000, 1), (10_000_000, 1)] {
        let what = format!("{turns} turns of {}: peak heap for each byte of arguments", size(bytes));
        rows.push(Row::new("M6", what, "bytes", peak(session, bytes, turns)));
    }
    let mut instructions = |bytes: usize| {
        Ok::<f64, String>(session.instructions("windlass", &Case::new("turns", bytes, "1"))? / count(bytes))
    };
    let figures = instructions(1_000_000).and_then(|small| Ok((small, instructions(10_000_000)?)));
    let note = figures.as_ref().map(|(small, large)| format!("{large:.0} Ir a byte against {small:.0}"));
    let ratio = figures.as_ref().map(|(small, large)| large / small).map_err(Clone::clone);
    rows.push(
        Row::new("M6", "arguments of 10 MB / of 1 MB, for each byte", "Ir ratio", ratio)
            .note(note.unwrap_or_default()),
    );
    rows
}
