//! Tests of the meaning of a path by its text alone.

use super::*;

#[track_caller]
fn check(text: &str, expected: Result<&str, &str>) {
    let roots = [PathBuf::from("/w/project")];
    let met = WorkspacePath::parse(text, &roots);
    match expected {
        Ok(path) => assert_eq!(met.unwrap().to_string(), path),
        Err(words) => {
            let error = met.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}

// SECURITY "Paths": absolute inputs inside the root become relative by component compare.
#[test]
fn paths_inside_become_relative() {
    check("a/b.rs", Ok("a/b.rs"));
    check("./a//b.rs", Ok("a/b.rs"));
    check("a/../b.rs", Ok("b.rs"));
    check(".", Ok("."));
    check("a/..", Ok("."));
    check("/w/project/a.rs", Ok("a.rs"));
    check("/w/project", Ok("."));
    check("/w/other/../project/a.rs", Ok("a.rs"));
    check("a b/ü.txt", Ok("a b/ü.txt"));
    check("..a/b..", Ok("..a/b.."));
}

#[test]
fn paths_outside_are_refused_with_a_reason() {
    check("", Err("empty"));
    check("a\0b", Err("NUL"));
    check("..", Err("outside"));
    check("a/../../b", Err("outside"));
    check("/etc/passwd", Err("outside"));
    check("/w/project-two/a", Err("outside"));
    check("/w/project/../other", Err("outside"));
    check("/../../etc", Err("outside"));
    check("~/x", Err("not expanded"));
    check("~", Err("not expanded"));
    check(&"a/".repeat(3000), Err("6000 bytes"));
}

#[test]
fn an_output_is_one_plain_name() {
    check("@outputs/call_1.txt", Ok("@outputs/call_1.txt"));
    check("@outputs/../x", Err("not a spilled output"));
    check("@outputs/a/b", Err("not a spilled output"));
    check("@outputs/", Err("not a spilled output"));
    check("@outputs//etc/passwd", Err("not a spilled output"));
    check("@outputsx", Ok("@outputsx"));
}
