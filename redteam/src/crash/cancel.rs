//! Cancels or drops a run at each of its polls. Each call must still have exactly one result, and neither a
//! process nor a descriptor may be left.

use std::collections::BTreeSet;
use std::fs;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::ExitCode;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::Stream as _;
use windlass_agent::{Entry, EventStream, RunOptions};
use windlass_journal::FileJournal;
use windlass_protocol::CallId;
use windlass_tool::CancellationToken;

use super::Place;
use super::victim::agent;
use crate::processes;

/// Options of the cancellation test.
#[derive(Debug, clap::Args)]
pub(crate) struct Cancel {
    /// The distance between the tested polls: 1 tests every poll.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// A folder for the runs.
    #[arg(long)]
    scratch: PathBuf,
}

/// The way in which a run is stopped.
#[derive(Clone, Copy, Debug)]
enum Stop {
    Cancelled,
    Dropped,
}

/// The outcome of a run that is to be stopped at a poll.
enum Went {
    /// The run was stopped at that poll.
    Stopped,
    /// The run ended before that poll.
    Over,
}

impl Cancel {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        processes::adopt_orphans();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut problems = Vec::new();
        let mut counts = [0_usize; 2];
        // The first run opens descriptors that stay open.
        let _ = runtime.block_on(stop_run(&self.place(1)?, Stop::Cancelled, usize::MAX))?;
        let before = descriptors()?;
        for (stop, count) in [Stop::Cancelled, Stop::Dropped].into_iter().zip(&mut counts) {
            for poll in (1..).step_by(self.every.max(1)) {
                let place = self.place(poll)?;
                let went = runtime.block_on(stop_run(&place, stop, poll));
                match went {
                    Ok(Went::Over) => break,
                    Ok(Went::Stopped) => *count = count.saturating_add(1),
                    Err(error) => problems.push(format!("{stop:?} at poll {poll}: {error:#}")),
                }
            }
        }
        let after = descriptors()?;
        if after != before {
            problems.push(format!("{before} descriptors before and {after} after"));
        }
        for problem in &problems {
            println!("FAILED {problem}");
        }
        println!(
            "{} polls cancelled, {} polls dropped, {before} descriptors before and {after} after: {} problems (calls \
             without a result, processes or descriptors that are left)",
            counts[0],
            counts[1],
            problems.len()
        );
        Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn place(&self, poll: usize) -> anyhow::Result<Place> {
        Place::new(&self.scratch, &format!("cancel-{}", poll % 2), None)
    }
}

async fn stop_run(place: &Place, stop: Stop, at: usize) -> anyhow::Result<Went> {
    let agent = agent(&place.folder, None)?;
    let token = CancellationToken::new();
    let journal = place.folder.join("journal");
    let options = RunOptions::default()
        .with_journal(FileJournal::create(&journal)?)
        .with_cancellation(token.clone())
        .with_outputs(place.folder.join("outputs"));
    let mut stream = agent.stream_with("take the steps", options);
    let mut polls = 0_usize;
    let went = loop {
        let event = poll_fn(|context| {
            polls = polls.saturating_add(1);
            if polls == at {
                return Poll::Ready(None);
            }
            Pin::new(&mut stream).poll_next(context).map(Some)
        });
        match event.await {
            None => break Went::Stopped,
            Some(None) => break Went::Over,
            Some(Some(event)) => drop(event?),
        }
    };
    if matches!(went, Went::Stopped) {
        match stop {
            Stop::Cancelled => {
                token.cancel();
                drain(stream).await?;
                each_call_has_its_result(&journal)?;
            }
            Stop::Dropped => drop(stream),
        }
        nothing_runs().await?;
    }
    Ok(went)
}

async fn drain(mut stream: EventStream) -> anyhow::Result<()> {
    while let Some(event) = poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await {
        drop(event?);
    }
    Ok(())
}

/// Checks that each call has exactly one result (RULES R1, L7).
fn each_call_has_its_result(journal: &Path) -> anyhow::Result<()> {
    let mut open = BTreeSet::<CallId>::new();
    let mut is_over = false;
    for record in FileJournal::read(journal)? {
        match record.read::<Entry>()? {
            Entry::Answered { message, .. } => {
                anyhow::ensure!(open.is_empty(), "an answer came while {open:?} had no result");
                open.extend(message.calls().map(|call| call.id.clone()));
            }
            Entry::Result { result } => {
                anyhow::ensure!(open.remove(&result.call), "{} has two results", result.call);
            }
            Entry::Finished { .. } => is_over = true,
            _ => {}
        }
    }
    anyhow::ensure!(open.is_empty(), "{open:?} have no result");
    anyhow::ensure!(is_over, "its end is not on record");
    Ok(())
}

/// Waits until no process of the run is left, or fails after 10 seconds.
async fn nothing_runs() -> anyhow::Result<()> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let began = Instant::now();
    loop {
        let left = processes::descendants(&[]);
        if left.is_empty() {
            return Ok(());
        }
        anyhow::ensure!(began.elapsed() < PATIENCE, "the processes {left:?} are left");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn descriptors() -> anyhow::Result<usize> {
    Ok(fs::read_dir("/proc/self/fd")?.count())
}
