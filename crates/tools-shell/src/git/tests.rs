//! Tests of git commands and their options.

use super::{tame, writes_repository};

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[track_caller]
fn check(given: &str, expected: &str) {
    assert_eq!(tame(&words(given)).join(" "), expected);
}

#[test]
fn programs_that_a_repository_could_run_are_disabled() {
    let first =
        "git --no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null -c safe.bareRepository=explicit";
    check("git status", &format!("{first} status"));
    check("git diff --stat a", &format!("{first} diff --no-ext-diff --no-textconv --stat a"));
    check("git -P log -1", &format!("{first} -P log --no-ext-diff --no-textconv -1"));
    check("git", first);
    check("ls git", "ls git");
}

#[test]
fn commands_on_another_repository_do_not_write_this_one() {
    assert!(writes_repository(&words("git commit -m x")));
    for text in
        ["git -C sub commit", "git --git-dir=x commit", "git config x y", "git", "hg commit", "git push"]
    {
        assert!(!writes_repository(&words(text)), "{text}");
    }
}
