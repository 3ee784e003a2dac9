//! The space that the disk has left. A linker without space dies of a bus error, without mentioning the disk.

use xshell::{Shell, cmd};

/// Gigabytes for a run from nothing, including the tools that it installs. With the flags of `.ci/run` 15.5 were used; the
/// symbols that it leaves out make the programs twice as large.
const WHOLE_RUN: u64 = 30;

/// Prints a note if the disk is too small for a run from nothing.
pub(super) fn warn_if_short(sh: &Shell) {
    if let Some(free) = free_gigabytes(sh).filter(|&free| free < WHOLE_RUN) {
        println!("note: {free} GB are free here; a run from nothing needs up to {WHOLE_RUN}");
    }
}

/// Returns the free space, rounded down, where `df` tells it.
pub(super) fn free_gigabytes(sh: &Shell) -> Option<u64> {
    let table = cmd!(sh, "df -Pk .").quiet().ignore_stderr().read().ok()?;
    parse(&table)
}

/// Reads the table of `df -Pk`. Its second line has the file system, and its total, used and free kilobytes.
fn parse(table: &str) -> Option<u64> {
    let free: u64 = table.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(free >> 20)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_fourth_column_is_free() {
        let head = "Filesystem 1024-blocks Used Available Capacity Mounted on\n";
        assert_eq!(parse(&format!("{head}/dev/vda 264212084 78199196 17092000 83% /\n")), Some(16));
        assert_eq!(parse(head), None);
        assert_eq!(parse(""), None);
    }
}
