//! Tests of the place of a path: inside the workspace, outside, protected or secret.

use super::Place;

#[track_caller]
fn check(place: Place, paths: &[&str]) {
    for path in paths {
        assert_eq!(Place::parse(path), place, "{path}");
    }
}

#[test]
fn paths_inside() {
    check(
        Place::Inside,
        &["src/lib.rs", "a/../b", "./README.md", "docs/.hidden/x", "envelope.rs", "gitignore"],
    );
}

#[test]
fn paths_that_climb_are_outside() {
    check(
        Place::Outside,
        &["/etc/passwd", "../x", "a/../../x", "a/../../a/x", "~/x", "C:\\x", "\\\\host\\x"],
    );
}

#[test]
fn protected_paths_match_in_every_spelling() {
    check(
        Place::Protected,
        &[
            ".git/config",
            "sub/.GIT/hooks/pre-commit",
            ".git./config",
            ".git /x",
            ".git::$INDEX_ALLOCATION/x",
            ".bashrc",
        ],
    );
}

#[test]
fn secrets_are_recognized_by_their_names() {
    check(Place::Secret, &[".env", ".env.local", "keys/server.PEM", "id_ed25519", "a/credentials.json"]);
}
