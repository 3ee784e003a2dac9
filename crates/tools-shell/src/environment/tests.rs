//! What a child process is told of the environment.

use super::*;

// Q2
#[test]
fn only_listed_names_pass() {
    let host = [
        "PATH",
        "LC_ALL",
        "LC_API_KEY",
        "AWS_PROFILE",
        "SSH_AUTH_SOCK",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "HTTPS_PROXY",
        "MY_SECRET",
        "EDITOR",
    ];
    let met = environment(host.iter().map(|name| (name.into(), "x".into())));
    let names: Vec<_> = met.iter().filter_map(|(name, _)| name.to_str()).collect();
    assert_eq!(names, ["PATH", "LC_ALL", "TERM", "PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT"]);
}
