//! The points at which a worker kills itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A point: the first or a later time that something happens, or a time after the start.
#[derive(Clone, Default)]
pub(crate) struct Fuse {
    point: Option<Arc<(String, u32)>>,
    passed: Arc<AtomicU32>,
}

impl Fuse {
    /// Parses `WHEN:WHAT:NTH`, or `after:MILLISECONDS`.
    pub(crate) fn new(point: Option<&str>) -> Self {
        let point = point.and_then(|point| {
            let (name, nth) = point.rsplit_once(':')?;
            Some(Arc::new((name.to_owned(), nth.parse().ok()?)))
        });
        Self { point, passed: Arc::default() }
    }

    /// Kills the process if this is its point.
    pub(crate) fn burn(&self, name: &str) {
        let Some(point) = &self.point else { return };
        if point.0 == name && self.passed.fetch_add(1, Ordering::SeqCst) + 1 == point.1 {
            die();
        }
    }

    /// Kills the process after a time if that is its point.
    pub(crate) fn start_timer(&self) {
        if let Some(point) = self.point.clone().filter(|point| point.0 == "after") {
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(point.1.into()));
                die();
            });
        }
    }
}

fn die() {
    let killed = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    killed.expect("a process can kill itself");
    loop {
        std::thread::park();
    }
}
