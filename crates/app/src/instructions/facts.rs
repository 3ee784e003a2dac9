//! Facts about the machine and the folder for the system prompt.

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use windlass_protocol::{Arguments, CallId, Content, Payload};
use windlass_sandbox::{Access, Level, Workspace};
use windlass_tool::{Context, Tool as _};
use windlass_tools_shell::{RunCommand, Shell};

use crate::trust::find_top;

/// Maximum length of the name of a branch.
const MAX_BRANCH: usize = 200;
/// Time for `git status` in milliseconds. A large repository needs longer, and its state stays unknown.
const GIT_MILLIS: u64 = 5_000;
/// Maximum size in bytes of a file of the repository that is read.
const MAX_HEAD: usize = 4_096;

/// Describes the date, the system, the shell, the folder and its repository.
pub(super) async fn describe(root: &Path, shell: &Shell) -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 86_400;
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let program = if Path::new("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" };
    let lines = [
        "At the start of this run:".to_owned(),
        format!("- date: {} (UTC)", format_date(days)),
        format!("- system: {} {} {}", std::env::consts::OS, kernel.trim(), std::env::consts::ARCH),
        format!("- shell of commands: {program}; sandbox: {}", shell.level()),
        format!("- folder: {}", root.display()),
        format!("- git: {}", describe_git(root, shell).await),
    ];
    lines.join("\n")
}

/// Returns the date of a day, counted from 1970-01-01, in the Gregorian calendar. (Howard Hinnant's `civil_from_days`.)
fn format_date(days: u64) -> String {
    let shifted = days.saturating_add(719_468);
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = (if month < 10 { month + 3 } else { month - 9 }, era * 400 + year_of_era);
    let year = if month <= 2 { year + 1 } else { year };
    format!("{year:04}-{month:02}-{day:02}")
}

/// Describes the branch and the state of the repository.
///
/// The branch is read from a file. The state needs `git status`, which can run filters of the repository, so it is
/// asked only in a sandbox with a read-only workspace.
async fn describe_git(root: &Path, shell: &Shell) -> String {
    let top = find_top(root);
    let Some(branch) = read_branch(top) else { return "no repository".to_owned() };
    let state = match shell.level() {
        Level::None => None,
        _ => count_changes(root, shell).await,
    };
    match state {
        Some(0) => format!("{branch}, without changes"),
        Some(1) => format!("{branch}, 1 changed file"),
        Some(count) => format!("{branch}, {count} changed files"),
        None => branch,
    }
}

/// Returns the branch of a repository, or the beginning of the commit of a detached head.
fn read_branch(top: &Path) -> Option<String> {
    let git = top.join(".git");
    let folder = match read_line(&git) {
        // A worktree or a submodule: the file names the folder.
        Some(line) => top.join(line.strip_prefix("gitdir: ")?),
        None => git,
    };
    let head = read_line(&folder.join("HEAD"))?;
    let name = match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => format!("branch {branch}"),
        None => format!("detached at {}", head.get(..12)?),
    };
    let is_plain =
        name.len() <= MAX_BRANCH && !name.chars().any(|letter| letter.is_control() || letter == '<');
    is_plain.then_some(name)
}

/// Returns the first line of a small file.
fn read_line(file: &Path) -> Option<String> {
    let about = file.metadata().ok()?;
    let is_small = usize::try_from(about.len()).is_ok_and(|bytes| bytes <= MAX_HEAD);
    if !about.is_file() || !is_small {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

/// Counts the changed and untracked files with `git status` in the sandbox of a command that reads.
async fn count_changes(root: &Path, shell: &Shell) -> Option<usize> {
    let workspace = Workspace::open_for(root, Access::ReadOnly).ok()?;
    let tool = RunCommand::for_workspace(Arc::new(workspace), shell.clone());
    let arguments = json!({ "command": "git status --porcelain --branch", "timeout_ms": GIT_MILLIS });
    let payload = Payload::Function { arguments: Arguments::parse(arguments.to_string()).ok()? };
    let ctx = Context::new(CallId::new("git-state").ok()?);
    let output = tool.call(&ctx, &payload).await.ok()?;
    let text = output.content.iter().find_map(|content| match content {
        Content::Text { text } => Some(text.as_str()),
        _ => None,
    })?;
    count_entries(text)
}

/// Counts the entries in the output of `git status --porcelain --branch`, which begins with the line of the branch.
fn count_entries(text: &str) -> Option<usize> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("## "));
    lines.next()?;
    Some(lines.filter(|line| line.get(2..3) == Some(" ")).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_722, "2023-12-31"),
            (20_784, "2026-11-27"),
        ] {
            assert_eq!(format_date(days), date);
        }
    }

    #[test]
    fn the_branch_is_read_from_files_of_all_kinds_of_repositories() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        assert_eq!(read_branch(top), None);
        std::fs::create_dir(top.join(".git")).unwrap();
        std::fs::write(top.join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        assert_eq!(read_branch(top).unwrap(), "branch feature/x");
        std::fs::write(top.join(".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(read_branch(top).unwrap(), "detached at 0123456789ab");
        std::fs::write(top.join(".git/HEAD"), "ref: refs/heads/a</instructions>b\n").unwrap();
        assert_eq!(read_branch(top), None);
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(tree.path().join(".git"), format!("gitdir: {}\n", top.join(".git").display()))
            .unwrap();
        assert_eq!(read_branch(tree.path()).unwrap(), "branch main");
    }

    #[test]
    fn entries_of_the_status_are_counted() {
        assert_eq!(count_entries("[exit code 0; sandbox: x]\n## main\n M a\n?? b\n"), Some(2));
        assert_eq!(count_entries("[exit code 0; sandbox: x]\n## main"), Some(0));
        assert_eq!(count_entries("[exit code 128; sandbox: x]\n[stderr]\nfatal"), None);
    }
}
