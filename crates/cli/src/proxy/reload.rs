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
use super::kept::{KeptFiles, UsageErrorPolicy};
use super::request_spans::FrontTracer;
#[cfg(unix)]
use super::state::StateEntry;
use crate::output;

/// A configuration file, and the parts of its first content that only a new process changes.
pub(super) struct ServedFile<'a> {
    pub(super) path: &'a Path,
    pub(super) file: ProxyFile,
    pub(super) options: ProviderOptions,
    pub(super) app: &'a App,
    pub(super) tls: Option<ServerTls>,
    pub(super) tracer: FrontTracer,
    pub(super) kept: KeptFiles,
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
    /// Reads the file again at each SIGHUP, and reports records that are not kept, until the future is dropped.
    pub(super) async fn follow(&self, front: &FrontHandle, hangups: Hangups) {
        tokio::join!(self.reload_at_signals(front, hangups), self.kept.watch());
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
                if FixedSettings::of(&file) != FixedSettings::of(&self.file) {
                    output::note(&format!(
                        "error: {path} has another address, file of usage or ids, store or limit of the server; they change \
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

/// The settings that only a new process changes.
#[cfg(unix)]
#[derive(PartialEq)]
struct FixedSettings<'a> {
    listen: Option<SocketAddr>,
    allow_remote: bool,
    socket: Option<&'a Path>,
    has_tls: bool,
    options: ServeOptions,
    usage_file: Option<&'a Path>,
    on_usage_error: UsageErrorPolicy,
    stored_ids_file: Option<&'a Path>,
    state: Option<&'a StateEntry>,
}

#[cfg(unix)]
impl<'a> FixedSettings<'a> {
    fn of(file: &'a ProxyFile) -> Self {
        Self {
            listen: file.listen,
            allow_remote: file.allow_remote,
            socket: file.socket.as_deref(),
            has_tls: file.tls.is_some(),
            options: file.serve_options(),
            usage_file: file.usage_file.as_deref(),
            on_usage_error: file.on_usage_error,
            stored_ids_file: file.stored_ids_file.as_deref(),
            state: file.state.as_ref(),
        }
    }
}
