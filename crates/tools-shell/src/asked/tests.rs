//! Facts that follow from the words of a command.

use super::{Need, RequestedCommand};

#[track_caller]
fn check(need: Need, texts: &[&str]) {
    for text in texts {
        assert_eq!(RequestedCommand::text((*text).to_owned()).need(), need, "{text}");
    }
}

// SECURITY "run_command" 6
#[test]
fn commands_proved_to_read_get_only_read_access() {
    check(
        Need::Read,
        &["ls -l", "git status", "git log -p -1", "cat a | head -n 3", "git diff && ls", "git branch"],
    );
}

#[test]
fn a_single_git_write_command_needs_the_repository() {
    check(
        Need::Repository,
        &["git commit -m 'a b'", "git add -A", "git --no-pager checkout main", "git branch new"],
    );
}

#[test]
fn all_other_commands_need_the_workspace() {
    let texts =
        ["make", "git -C sub commit", "git -c core.hooksPath=x commit", "git add . && git commit -m x"];
    check(Need::Write, &texts);
    check(
        Need::Write,
        &["git config user.name x", "git init", "echo x > y", "echo $x", "/usr/bin/git commit"],
    );
}

#[test]
fn argv_is_quoted_for_a_shell() {
    let asked = RequestedCommand::Words(["echo", "a b", "$(x)"].map(str::to_owned).to_vec());
    assert_eq!(asked.command(), "echo 'a b' '$(x)'");
    assert_eq!(RequestedCommand::text("echo  'a'".to_owned()).command(), "echo a");
}
