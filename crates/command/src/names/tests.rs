//! Names in every spelling.

use super::{is_protected_name, is_secret_name};

#[track_caller]
fn check(assess: fn(&str) -> bool, expected: bool, names: &[&str]) {
    for name in names {
        assert_eq!(assess(name), expected, "{name:?}");
    }
}

// SECURITY "Paths"
#[test]
fn names_that_decide_later_execution_match_in_every_spelling() {
    let spellings = [
        ".git",
        ".GIT",
        ".git.",
        ".git ",
        ".git::$INDEX_ALLOCATION",
        ".g\u{200c}it",
        "GIT~1",
        ".v\u{17f}code",
    ];
    check(is_protected_name, true, &spellings);
    check(
        is_protected_name,
        true,
        &[".envrc", ".mcp.json", "x.code-workspace", ".bashrc", ".Claude", ".github", "AGENTS.md"],
    );
    check(is_protected_name, false, &[".gitignore", "git", ".githubrc", "src", "", "x.git"]);
}

#[test]
fn secrets_are_recognized_by_their_names() {
    check(
        is_secret_name,
        true,
        &[".env", ".ENV.local", "id_ed25519", "server.PEM", "credentials.json", ".ssh"],
    );
    check(
        is_secret_name,
        true,
        &[
            "secrets.yaml",
            "HEAD:.env",
            ":.env",
            ":0:id_rsa",
            ".env::$DATA",
            ".netrc",
            ".envrc",
            "credentials",
            "tls.key",
        ],
    );
    check(is_secret_name, false, &[".env.example", "id_rsa.pub", "credentials.rs", "environment", "keys"]);
}
