//! The helper for systems without Landlock and seccomp: it refuses to run commands.

use std::ffi::OsString;
use std::process::ExitCode;

/// Refuses to run the command, because it cannot be confined on this system.
#[expect(
    clippy::print_stderr,
    reason = "the helper can report only on standard error why it did not run the command"
)]
pub fn confine_and_exec(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    drop(arguments.into_iter());
    eprintln!("not confined: helper process: this system has neither Landlock nor seccomp");
    ExitCode::from(125)
}

/// Does nothing on this system.
///
/// # Errors
/// Never.
pub fn close_memory() -> std::io::Result<()> {
    Ok(())
}
