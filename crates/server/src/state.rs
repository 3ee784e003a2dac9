//! The state that all requests share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use windlass_app::RunSettings;
use windlass_app::sessions::SessionHost;

use crate::Devices;
use crate::access::AccessChecks;
use crate::failures::Failures;
use crate::host_names::HostNames;
use crate::metrics::Metrics;

/// Largest number of open feeds.
const READERS: usize = 2_000;

/// The state that all requests share.
pub(crate) struct Shared {
    pub(crate) host: SessionHost,
    /// The settings of a run that a client starts; the task is the client's.
    pub(crate) template: RunSettings,
    pub(crate) devices: Devices,
    pub(crate) access: AccessChecks,
    pub(crate) names: HostNames,
    pub(crate) failures: Failures,
    pub(crate) metrics: Metrics,
    #[cfg(feature = "web-push")]
    pub(crate) push: Option<Arc<crate::WebPush>>,
    readers: Arc<AtomicUsize>,
    /// True when the server stops, so that feeds end.
    pub(crate) stopping: watch::Receiver<bool>,
}

/// The place of an open feed. Dropping it makes room for another one.
#[derive(Debug)]
pub(crate) struct ReaderPlace(Arc<AtomicUsize>);

impl Drop for ReaderPlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    pub(crate) fn new(
        host: SessionHost,
        template: RunSettings,
        devices: Devices,
        names: HostNames,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        Self {
            host,
            template,
            devices,
            access: AccessChecks::default(),
            names,
            failures: Failures::default(),
            metrics: Metrics::default(),
            #[cfg(feature = "web-push")]
            push: None,
            readers: Arc::default(),
            stopping,
        }
    }

    /// Returns a place for a feed, or `None` if all are taken.
    pub(crate) fn take_place(&self) -> Option<ReaderPlace> {
        let place = ReaderPlace(Arc::clone(&self.readers));
        let before = self.readers.fetch_add(1, Ordering::Relaxed);
        (before < READERS).then_some(place)
    }

    /// Returns the number of open feeds.
    pub(crate) fn readers(&self) -> usize {
        self.readers.load(Ordering::Relaxed)
    }
}
