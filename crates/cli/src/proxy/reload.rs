//! Serving by a configuration file, which a signal reads again.

#[cfg(unix)]
use std::net::SocketAddr;
use std::path::Path;

use windlass_app::App;
use windlass_app::providers::ProviderOptions;
#[cfg(unix)]
use windlass_gateway::ServeOptions;
use windlass_gateway::{FrontHandle, ServerTls};

use super::assembly::{self, Purpose};
#[cfg(unix)]
use super::endpoint;
use super::file::ProxyFile;
use super::request_spans::FrontTracer;
#[cfg(unix)]
use super::state::StateEntry;
use super::usage;
use crate::output;

/// A configuration file, and the parts of its first content that only a new process changes.
pub(super) struct ServedFile<'a> {
    pub(super) path: &'a Path,
    pub(super) file: ProxyFile,
    pub(super) options: ProviderOptions,
    pub(super) app: &'a App,
    pub(super) tls: Option<ServerTls>,
    pub(super) tracer: FrontTracer,
}

/// The hangup signals (SIGHUP) of the process. They do not end it while this value exists.
pub(super) struct Hangups {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangups {
    /// Takes over the signal. Call it before clients are told the address, because they may send the signal from then on.
    pub(super) fn listen() -> Self {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let error = |error| output::note(&format!("error: SIGHUP is not handled: {error}"));
            Self { signal: signal(SignalKind::hangup()).map_err(error).ok() }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Reports at each signal that there is no file, until the future is dropped.
    pub(super) async fn report(mut self) {
        loop {
            self.receive().await;
            output::note(
                "SIGHUP: there is no configuration file to read again (--file names one); the proxy continues",
            );
        }
    }

    async fn receive(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

impl ServedFile<'_> {
    /// Reads the file again at each SIGHUP, and stores the use of budgets, until the future is dropped.
    pub(super) async fn follow(&self, front: &FrontHandle, hangups: Hangups) {
        let keep = async {
            match &self.file.usage_file {
                Some(path) => usage::keep(path, front).await,
                None => std::future::pending().await,
            }
        };
        tokio::join!(self.reload_at_signals(front, hangups), keep);
    }

    /// Stores the use of budgets at the end.
    pub(super) fn finish(&self, front: &FrontHandle) -> anyhow::Result<()> {
        match &self.file.usage_file {
            Some(path) => usage::write(path, &front.current().usage()),
            None => Ok(()),
        }
    }

    #[cfg(unix)]
    async fn reload_at_signals(&self, front: &FrontHandle, mut hangups: Hangups) {
        loop {
            hangups.receive().await;
            self.reload(front).await;
        }
    }

    #[cfg(not(unix))]
    async fn reload_at_signals(&self, _: &FrontHandle, _: Hangups) {}

    /// Replaces the endpoints. A file with a mistake changes nothing.
    #[cfg(unix)]
    async fn reload(&self, front: &FrontHandle) {
        let path = self.path.display();
        match assembly::load(self.path, &self.options, self.app, Purpose::Serve).await {
            Ok((file, next)) => {
                // Do not apply the file without its certificate: the new clients may trust only that one.
                if let (Some(tls), Some(entry)) = (&self.tls, &file.tls)
                    && let Err(error) = endpoint::renew_certificate(tls, entry)
                {
                    return output::note(&format!("error: the old configuration continues: {error:#}"));
                }
                front.replace(self.tracer.add_to(next));
                output::note(&format!("{path} was read again"));
                if list_fixed_settings(&file) != list_fixed_settings(&self.file) {
                    output::note(&format!(
                        "error: {path} has another address, file of usage, store or limit of the server; they change \
                         at the next start"
                    ));
                }
            }
            Err(error) => {
                output::note(&format!("error: the old configuration continues: {error:#}"));
            }
        }
    }
}

#[cfg(unix)]
type FixedSettings<'a> = (
    (Option<SocketAddr>, bool, Option<&'a Path>, bool),
    ServeOptions,
    (Option<&'a Path>, Option<&'a StateEntry>),
);

/// Returns the settings that only a new process changes.
#[cfg(unix)]
fn list_fixed_settings(file: &ProxyFile) -> FixedSettings<'_> {
    let address = (file.listen, file.allow_remote, file.socket.as_deref(), file.tls.is_some());
    (address, file.serve_options(), (file.usage_file.as_deref(), file.state.as_ref()))
}
