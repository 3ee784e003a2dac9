//! The end of open feeds whose device was revoked, in this process or in another one.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::state::Shared;

/// Time between two checks of the file of devices, which another process can change.
const PAUSE: Duration = Duration::from_secs(1);

/// The signal to compare open feeds with the list of devices.
#[derive(Debug)]
pub(crate) struct AccessChecks(watch::Sender<()>);

impl Default for AccessChecks {
    fn default() -> Self {
        Self(watch::Sender::new(()))
    }
}

impl AccessChecks {
    /// Wakes the feeds, after the list of devices may have changed.
    pub(crate) fn notify(&self) {
        self.0.send_replace(());
    }

    /// Returns a receiver of later signals.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}

/// Compares the list of devices with its last state at each pause, and wakes the feeds after a change. Never completes.
///
/// One reader of the file serves all feeds: a feed reads the file only after a change.
pub(crate) async fn watch_devices(shared: Arc<Shared>) {
    let mut last = None;
    loop {
        tokio::time::sleep(PAUSE).await;
        if shared.readers() == 0 {
            continue;
        }
        let reader = Arc::clone(&shared);
        let ids = tokio::task::spawn_blocking(move || {
            let devices = reader.devices.list().ok()?;
            Some(devices.into_iter().map(|device| device.id).collect::<Vec<_>>())
        });
        let ids = ids.await.ok().flatten();
        // The first list is compared, too: a device may have been revoked before it was read.
        if last.as_ref() != Some(&ids) {
            last = Some(ids);
            shared.access.notify();
        }
    }
}

/// Waits until a device is not registered any more. A file that cannot be read admits no device.
pub(crate) async fn wait_for_revocation(shared: Arc<Shared>, device: String) {
    let mut checks = shared.access.subscribe();
    // The device may have been revoked after its token was verified and before this subscription.
    checks.mark_changed();
    while checks.changed().await.is_ok() {
        let (shared, id) = (Arc::clone(&shared), device.clone());
        let found = tokio::task::spawn_blocking(move || shared.devices.contains(&id));
        if !matches!(found.await, Ok(Ok(true))) {
            return;
        }
    }
}
