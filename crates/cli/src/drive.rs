//! Reading a run to its end: telling what happens, and stopping it in good order on Ctrl-C.

use anyhow::Context as _;
use futures_util::{Stream, StreamExt};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use windlass_agent::{AgentError, Event, Outcome};

use crate::output;
use crate::say::Inbox;
use crate::screen::Floor;
use crate::show::Show;

/// How events are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// In words, for a human.
    Words,
    /// As lines of JSON, for a program.
    Json,
}

impl Telling {
    pub(crate) fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Words }
    }
}

/// Every Ctrl-C from now on, also one that comes while an event is printed.
pub(crate) fn interrupts() -> anyhow::Result<Signal> {
    signal(SignalKind::interrupt()).context("Ctrl-C cannot be waited for")
}

/// Reads a run to its end. The first Ctrl-C cancels it, so that every call still gets its result; the second
/// gives it up.
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
            // A question gets its turn only when every event before it is printed.
            biased;
            _ = interrupts.recv() => {
                anyhow::ensure!(!stop.is_cancelled(), "given up; the run can be resumed");
                output::note("\n■ stopping; Ctrl-C again gives the run up at once");
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
        floor.printed(&event);
    }
    show.outcome.clone().context("the run ended without saying how")
}
