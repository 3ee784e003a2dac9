//! The helper where the system has none of its means: it refuses.

use std::ffi::OsString;
use std::process::ExitCode;

/// Refuses to run the command: nothing here can confine it.
#[expect(clippy::print_stderr, reason = "the helper's only way to say why it did not run the command")]
pub fn confine_and_exec(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    drop(arguments.into_iter());
    eprintln!("not confined: helper process: this system has neither Landlock nor seccomp");
    ExitCode::from(125)
}

/// Does nothing: this system has no such means.
///
/// # Errors
/// Never.
pub fn close_memory() -> std::io::Result<()> {
    Ok(())
}
