//! The sessions of a command that serves clients, and their end.

use std::sync::atomic::AtomicBool;

use windlass_app::sessions::{SessionHost, Sessions};
use windlass_app::{App, RunSettings};
use windlass_text::count_noun;

use crate::arguments::Run;
use crate::output;
use crate::run::settings_of;
use crate::signals::Signals;

/// The sessions of a command that serves clients until a signal ends it.
pub(crate) struct ServedSessions {
    pub(crate) app: App,
    pub(crate) host: SessionHost,
    /// The settings of the runs that clients start.
    pub(crate) template: RunSettings,
    signals: Signals,
    /// Never set: a signal ends the command, and no run takes it.
    is_driven: AtomicBool,
}

impl ServedSessions {
    pub(crate) fn open(arguments: &Run, app: &App) -> anyhow::Result<Self> {
        let app = arguments.store.open(app)?;
        let template = settings_of(arguments, &app, String::new())?;
        let host = SessionHost::with_sessions(Sessions::new(&app)?, arguments.reach.options());
        let (signals, is_driven) = (Signals::listen()?, AtomicBool::new(false));
        Ok(Self { app, host, template, signals, is_driven })
    }

    /// Waits for a signal, and returns the exit code for it. Cancel-safe.
    pub(crate) async fn wait_for_end(&mut self) -> u8 {
        self.signals.wait_for_end(&self.is_driven).await
    }

    /// Stops the runs in order. A second signal ends the wait. `place` is the front end that resumes them later.
    pub(crate) async fn stop(mut self, place: &str) {
        let host = self.host.clone();
        let working = host.handles().len();
        if working > 0 {
            let runs = count_noun(working, "run");
            output::note(&format!("stopping {runs} in order; {place} can resume the work later"));
        }
        tokio::select! {
            () = host.stop_all() => {}
            _ = self.wait_for_end() => output::note("the runs were not stopped in order"),
        }
    }
}
