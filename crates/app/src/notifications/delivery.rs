//! The delivery of notifications on a thread of its own.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use windlass_client::{Header, HttpOptions, HttpTransport, Transport as _, TransportRequest};

use super::{Notification, NotifySettings};
use crate::child_wait::wait_with_limit;
use crate::error::{Context as _, Result, bail, ensure, one_line};
use crate::notices::Notices;

/// Maximum time for one delivery.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Variables of the environment that the command gets: those that desktop programs need, and no keys.
const ENVIRONMENT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "TMUX",
];

/// Delivery of notifications by the command and the webhook of the settings.
pub(super) struct Delivery {
    settings: NotifySettings,
    notices: Notices,
    timeout: Duration,
}

impl Delivery {
    pub(super) fn new(settings: NotifySettings, notices: Notices) -> Self {
        Self { settings, notices, timeout: TIMEOUT }
    }

    #[cfg(test)]
    pub(super) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Delivers notifications until their sender is dropped. The first failure of each way is a warning.
    pub(super) fn run(self, notifications: &Receiver<Notification>) {
        let (mut command_failed, mut webhook_failed) = (false, false);
        for notification in notifications {
            if let Some((program, arguments)) = self.settings.command.split_first() {
                let ran = self.run_command(program, arguments, &notification);
                self.report("command", ran, &mut command_failed);
            }
            if let Some(address) = &self.settings.webhook {
                self.report("webhook", self.post(address, &notification), &mut webhook_failed);
            }
        }
    }

    fn report(&self, way: &str, delivered: Result<()>, has_failed: &mut bool) {
        if let Err(error) = delivered
            && !std::mem::replace(has_failed, true)
        {
            let why = one_line(&error);
            self.notices
                .warn(format!("the {way} for notifications failed, and later failures are not told: {why}"));
        }
    }

    fn run_command(&self, program: &str, arguments: &[String], notification: &Notification) -> Result<()> {
        let mut command = Command::new(program);
        command.args(arguments).arg(&notification.text).env_clear();
        command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = windlass_sandbox::start_child(|| command.spawn());
        let mut child = child.with_context(|| format!("{program} cannot be started"))?;
        if let Some(mut input) = child.stdin.take() {
            // A program need not read its standard input. The text fits into the buffer of a pipe.
            drop(input.write_all(&serde_json::to_vec(notification)?));
        }
        let Some(status) = wait_with_limit(&mut child, self.timeout)? else {
            bail!(Unavailable, "{program} took longer than {:?}", self.timeout);
        };
        ensure!(status.success(), Unavailable, "{program} ended with {status}");
        Ok(())
    }

    fn post(&self, address: &str, notification: &Notification) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let transport = HttpTransport::new(&HttpOptions::default())?;
        let request = TransportRequest::post(address, serde_json::to_vec(notification)?)
            .with_header(Header::new("content-type", "application/json"));
        let status = runtime.block_on(async {
            let response = tokio::time::timeout(self.timeout, transport.send(request)).await;
            response.map(|response| response.map(|response| response.status))
        });
        match status {
            // The error of the transport contains no password of the address.
            Ok(Ok(status)) => {
                ensure!((200..300).contains(&status), Unavailable, "the server answered {status}");
            }
            Ok(Err(error)) => {
                bail!(Unavailable, "{error}");
            }
            Err(_) => ensure!(false, Unavailable, "the server did not answer within {:?}", self.timeout),
        }
        Ok(())
    }
}
