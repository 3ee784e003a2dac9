//! Reads a run's events to its end, prints them, and cancels the run on Ctrl-C.

use anyhow::Context as _;
use futures_util::{Stream, StreamExt};
use tokio::signal::unix::{Signal, SignalKind, signal};
use windlass_agent::{AgentError, Event, Outcome};
use windlass_app::runs::Inbox;
use windlass_tool::CancellationToken;

use crate::output;
use crate::screen::Floor;
use crate::show::Show;

/// Output format of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Text for a human.
    Words,
    /// One line of JSON for each event, for a program.
    Json,
}

impl Telling {
    pub(crate) fn from_flag(json: bool) -> Self {
        if json { Self::Json } else { Self::Words }
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
/// # Errors
///
/// Fails if an event cannot be printed, if the run fails, and if its events end without an outcome.
pub(crate) async fn drive(
    mut events: impl Stream<Item = Result<Event, AgentError>> + Unpin,
    show: &mut Show,
    telling: Telling,
    stop: &CancellationToken,
    inbox: Option<&Inbox>,
) -> anyhow::Result<Outcome> {
    let mut floor = Floor::open();
    let mut interrupts = interrupts()?;
    loop {
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
            () = floor.grant() => continue,
        };
        let Some(event) = event else { break };
        let event = event?;
        if let Some(inbox) = inbox {
            inbox.follow(&event);
        }
        match telling {
            Telling::Json => {
                show.keep(&event);
                output::line(&event)?;
            }
            Telling::Words => show.event(&event)?,
        }
        floor.mark_printed(&event);
    }
    show.outcome.clone().context("the run ended without an outcome")
}
