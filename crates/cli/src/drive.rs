//! Reads a run's events to its end, prints them, and cancels the run on Ctrl-C.

use anyhow::Context as _;
use futures_util::{Stream, StreamExt};
use tokio::signal::unix::{Signal, SignalKind, signal};
use windlass_agent::{AgentError, Event, Outcome};
use windlass_app::feed::{FeedEvent, FeedHeader, RunFeed};
use windlass_app::runs::Inbox;
use windlass_tool::CancellationToken;

use crate::logging::log_events;
use crate::output;
use crate::progress::Progress;
use crate::screen::Floor;
use crate::show::Show;
pub(crate) use crate::telling::Telling;
use crate::terminal::EchoOff;

/// The parts of a session's run that follow its events.
#[derive(Debug)]
pub(crate) struct RunParts<'a> {
    pub(crate) inbox: &'a Inbox,
    pub(crate) feed: &'a mut RunFeed,
}

impl RunParts<'_> {
    /// Prints the first line of the feed, and the events that a killed process left without numbers.
    fn begin(&mut self, telling: Telling) -> anyhow::Result<()> {
        let recovered = self.feed.take_recovered();
        if telling == Telling::Json {
            output::line(&FeedHeader::new(self.feed.session(), self.feed.run()))?;
        }
        print_feed(&recovered, telling)
    }

    fn follow(&mut self, event: &Event, telling: Telling) -> anyhow::Result<()> {
        self.inbox.follow(event);
        print_feed(&self.feed.observe(event)?, telling)
    }

    fn settle(&mut self, telling: Telling) -> anyhow::Result<()> {
        print_feed(&self.feed.settle()?, telling)
    }
}

fn print_feed(events: &[FeedEvent], telling: Telling) -> anyhow::Result<()> {
    log_events(events);
    match telling {
        Telling::Json => events.iter().try_for_each(output::line),
        Telling::Words | Telling::Answer => Ok(()),
    }
}

/// Returns a stream of all SIGINTs from this call on, which also holds those that arrive while an event is
/// printed.
pub(crate) fn interrupts() -> anyhow::Result<Signal> {
    signal(SignalKind::interrupt()).context("the Ctrl-C handler cannot be installed")
}

/// Reads a run to its end and prints its events. The first Ctrl-C cancels the run, so every call still gets
/// its result; the second one returns an error at once.
///
/// As JSON, the run of a session prints the numbered feed of the session, and every other run its events.
///
/// # Errors
///
/// Fails if an event cannot be printed, if the run fails, and if its events end without an outcome.
pub(crate) async fn drive(
    mut events: impl Stream<Item = Result<Event, AgentError>> + Unpin,
    show: &mut Show,
    telling: Telling,
    stop: &CancellationToken,
    mut run: Option<RunParts<'_>>,
) -> anyhow::Result<Outcome> {
    let _echo = EchoOff::begin()?;
    let mut floor = Floor::open();
    let mut progress = Progress::new();
    let mut interrupts = interrupts()?;
    if let Some(run) = &mut run {
        run.begin(telling)?;
    }
    loop {
        let has_records = run.as_ref().is_some_and(|run| run.feed.has_new_records());
        let event = tokio::select! {
            // The terminal may ask its question only after every earlier event has been printed.
            biased;
            _ = interrupts.recv() => {
                anyhow::ensure!(!stop.is_cancelled(), "aborted; the run can be resumed");
                output::note("\n■ stopping; Ctrl-C again aborts the run at once");
                stop.cancel();
                show.is_interrupted = true;
                continue;
            }
            event = events.next() => event,
            () = std::future::ready(()), if has_records => {
                if let Some(run) = &mut run {
                    run.settle(telling)?;
                }
                continue;
            }
            () = floor.grant() => {
                progress.defer(floor.take_wait());
                continue;
            }
            report = progress.next_report(), if telling == Telling::Words => {
                show.remark(&report)?;
                continue;
            }
        };
        let Some(event) = event.transpose()? else { break };
        progress.observe(&event);
        match (&mut run, telling) {
            (Some(run), _) => run.follow(&event, telling)?,
            (None, Telling::Json) => output::line(&event)?,
            (None, Telling::Words | Telling::Answer) => {}
        }
        if telling == Telling::Words {
            show.event(&event)?;
        } else {
            show.keep(&event);
        }
        floor.mark_printed(&event);
    }
    if let Some(run) = &mut run {
        run.settle(telling)?;
    }
    show.outcome.clone().context("the run ended without an outcome")
}
