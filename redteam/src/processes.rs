//! The processes below this one: survivors, counts, and the memory of this one.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A process, from `/proc/PID/stat`.
#[derive(Clone, Copy, Debug)]
struct Process {
    id: i32,
    parent: i32,
    is_dead: bool,
}

/// Makes orphaned descendants children of this process, so that all of them stay visible.
pub(crate) fn adopt_orphans() {
    let own = rustix::process::getpid();
    let _ = rustix::process::set_child_subreaper(Some(own));
}

fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter_map(|id| {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name is in parentheses and may contain any characters.
        let mut words = text.rsplit_once(')')?.1.split_whitespace();
        let state = words.next()?;
        Some(Process { id, parent: words.next()?.parse().ok()?, is_dead: matches!(state, "Z" | "X") })
    })
    .collect()
}

/// Returns all living descendants of this process except the expected ones.
pub(crate) fn descendants(expected: &[i32]) -> Vec<i32> {
    let all = all();
    let mut found = vec![rustix::process::getpid().as_raw_nonzero().get()];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        at = at.saturating_add(1);
        let children =
            all.iter().filter(|process| process.parent == parent && !expected.contains(&process.id));
        found.extend(children.map(|process| process.id));
    }
    let living = |id: &i32| all.iter().any(|process| process.id == *id && !process.is_dead);
    found.split_off(1).into_iter().filter(living).collect()
}

/// Returns the descendants that still run after up to a second, in which processes may end.
pub(crate) fn survivors(expected: &[i32]) -> Vec<i32> {
    let until = Instant::now().checked_add(Duration::from_secs(1));
    loop {
        let left = descendants(expected);
        if left.is_empty() || until.is_none_or(|until| Instant::now() > until) {
            return left;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Kills processes that this one started.
pub(crate) fn kill(ids: &[i32]) {
    for id in ids.iter().filter_map(|id| Pid::from_raw(*id)) {
        let _ = kill_process(id, Signal::KILL);
    }
}

/// Returns a counter that grows whenever a child of this process has ended: the page faults of children that
/// were waited for.
pub(crate) fn count_ended_children() -> u64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let words = text.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
    // `cminflt` is the eleventh field; the state is the third.
    words.split_whitespace().nth(8).and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// Returns the peak memory of this process, in MiB.
pub(crate) fn peak_memory_mib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib.div_ceil(1024))
}

/// Counts the processes below this one while a case runs, and kills them all if their number exceeds a limit.
pub(crate) struct Census {
    most: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Census {
    pub(crate) fn begin(expected: Vec<i32>, too_many: u64) -> Self {
        let (most, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (seen, ended) = (Arc::clone(&most), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            while !ended.load(Ordering::SeqCst) {
                let ids = descendants(&expected);
                let count = u64::try_from(ids.len()).unwrap_or(u64::MAX);
                seen.fetch_max(count, Ordering::SeqCst);
                if count > too_many {
                    kill(&ids);
                } else {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        });
        Self { most, is_over, thread }
    }

    /// Returns the maximum number of concurrent processes.
    pub(crate) fn end(self) -> u64 {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = self.thread.join();
        self.most.load(Ordering::SeqCst)
    }
}
