//! Waits for the end of a child process, up to a limit.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Interval at which the end of a process is checked.
const POLL: Duration = Duration::from_millis(10);

/// Waits for the end of a process. Returns `None` if it did not end within the limit; it is killed then.
pub(crate) fn wait_with_limit(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if began.elapsed() >= limit {
            // A process that ended in the meantime cannot be killed.
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn wait(script: &str, limit: Duration) -> Option<ExitStatus> {
        let mut command = Command::new("/bin/sh");
        let mut child = windlass_sandbox::start_child(|| command.args(["-c", script]).spawn()).unwrap();
        let ended = wait_with_limit(&mut child, limit).unwrap();
        assert!(child.try_wait().unwrap().is_some(), "no process stays");
        ended
    }

    #[test]
    fn the_status_is_that_of_a_process_which_ends_and_another_process_is_killed() {
        assert_eq!(wait("exit 3", Duration::from_mins(1)).unwrap().code(), Some(3));
        assert_eq!(wait("exec sleep 600", Duration::from_millis(50)), None);
    }
}
