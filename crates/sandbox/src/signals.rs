//! The signal dispositions and the mask that a child inherits.
//!
//! A shell starts a background job with SIGINT and SIGQUIT ignored, `nohup` with SIGHUP ignored, and a supervisor may
//! start its children with signals blocked. A child inherits both through every program in between, so Ctrl-C would do
//! nothing at the terminal that we give to it. A signal that is caught is reset to its default when the child becomes
//! its program, so each ignored signal gets a handler that does nothing: this process goes on ignoring the signal.

use std::io;

/// Runs `start`, which starts a child process, so that the child has default dispositions for all signals and an
/// empty mask. Each place that starts a process uses this function. The mask of the calling thread is empty while
/// `start` runs, and restored afterwards.
///
/// Outside of Linux it only runs `start`.
///
/// ```
/// let child = windlass_sandbox::start_child(|| std::process::Command::new("true").spawn());
/// assert!(child?.wait()?.success());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If `start` fails, or the system refuses to tell or change the mask.
pub fn start_child<T>(start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::signal::SigSet;
        static CAUGHT: std::sync::Once = std::sync::Once::new();
        CAUGHT.call_once(linux::catch_ignored);
        let mask = SigSet::thread_get_mask()?;
        if mask == SigSet::empty() {
            return start();
        }
        SigSet::empty().thread_set_mask()?;
        let started = start();
        mask.thread_set_mask()?;
        started
    }
    #[cfg(not(target_os = "linux"))]
    start()
}

#[cfg(target_os = "linux")]
pub(crate) use linux::reset;

#[cfg(target_os = "linux")]
mod linux {
    use std::{fs, io};

    use nix::libc;
    use nix::sys::signal::SigSet;
    use tokio::runtime::Builder;
    use tokio::signal::unix::{SignalKind, signal};

    /// Permanently resets the signal dispositions and the mask, for the helper process. Unlike `start_child`,
    /// it does not restore the mask, because the helper only starts the child.
    pub(crate) fn reset() -> nix::Result<()> {
        catch_ignored();
        SigSet::empty().thread_set_mask()
    }

    /// Catches each ignored signal with a handler that does nothing.
    pub(super) fn catch_ignored() {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = parse_ignored(&status);
        if ignored.is_empty() {
            return;
        }
        // Handlers belong to the process and stay when the runtime is gone.
        let Ok(runtime) = Builder::new_current_thread().enable_io().build() else { return };
        let caught = runtime.enter();
        for number in ignored {
            // The call fails for signals that cannot be caught.
            let _: io::Result<_> = signal(SignalKind::from_raw(number));
        }
        drop(caught);
        runtime.shutdown_background();
    }

    /// The numbers of ignored signals in the text of `/proc/self/status`. The standard library ignores SIGPIPE itself,
    /// and resets it in each child.
    pub(super) fn parse_ignored(status: &str) -> Vec<i32> {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
        (1..=64).filter(|number| mask >> (number - 1) & 1 == 1 && *number != libc::SIGPIPE).collect()
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn the_status_lists_signals_that_are_ignored() {
            // SIGHUP, SIGINT, SIGQUIT and SIGPIPE.
            assert_eq!(
                super::parse_ignored("SigBlk:\tffff\nSigIgn:\t0000000000001007\nSigCgt:\tff\n"),
                [1, 2, 3]
            );
            assert!(super::parse_ignored("").is_empty());
        }
    }
}
