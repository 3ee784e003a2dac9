//! Targets of links in the words of a command, determined before it runs.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use windlass_protocol::TargetKind;
use windlass_tool::Tool;

use crate::scene::{call, context, payload, plain};

// security 2: a link that a repository ships, in the words of a command.
#[test]
fn a_link_in_an_argument_is_reported_with_its_target() {
    let (folder, tool) = plain();
    let work = folder.path().join("work");
    fs::create_dir_all(work.join("private/sub")).unwrap();
    fs::create_dir(work.join("docs")).unwrap();
    symlink("private", work.join("pub")).unwrap();
    symlink("../private/sub", work.join("docs/sub")).unwrap();
    symlink("/etc", work.join("out")).unwrap();
    let links = |command: &str, cwd: &str| -> Vec<(String, String, TargetKind)> {
        let seen = tool.inspect(&payload(&json!({"command": command, "cwd": cwd})));
        seen.targets.into_iter().map(|target| (target.path, target.resolved, target.kind)).collect()
    };
    let led = |path: &str, resolved: &str| vec![(path.to_owned(), resolved.to_owned(), TargetKind::Missing)];
    assert_eq!(links("cat pub/x.txt", "."), led("pub/x.txt", "private/x.txt"));
    assert_eq!(links("grep -r x pub", "."), led("pub", "private"));
    assert_eq!(links("cat sub/x.txt | head -3", "docs"), led("docs/sub/x.txt", "private/sub/x.txt"));
    assert_eq!(links("frobnicate --in=pub/x.txt", "."), led("pub/x.txt", "private/x.txt"));
    assert_eq!(links("cat out/hosts", "."), [("out/hosts".into(), "out/hosts".into(), TargetKind::Outside)]);
    assert_eq!(links("cat docs/a.txt private/x.txt", "."), []);
    assert_eq!(links("git show HEAD:docs/a.txt", "docs"), []);
}

// A link must be found among many other words: a repeated word counts once, and a command with too many paths is
// refused.
#[test]
fn a_link_after_thousands_of_arguments_is_reported_or_nothing_runs() {
    let (folder, tool) = plain();
    let work = folder.path().join("work");
    fs::create_dir_all(work.join("private")).unwrap();
    symlink("private", work.join("pub")).unwrap();
    let argv = |words: Vec<String>| {
        let words = [vec!["cat".to_owned()], words, vec!["pub/x.txt".to_owned()]].concat();
        json!({ "argv": words })
    };
    let repeated = argv(vec!["a".to_owned(); 5_000]);
    let targets = tool.inspect(&payload(&repeated)).targets;
    assert_eq!(targets.iter().map(|target| target.path.as_str()).collect::<Vec<_>>(), ["pub/x.txt"]);
    let many = argv((0..5_000).map(|number| format!("a{number}")).collect());
    let refused = call(&tool, &context(&folder), &many).unwrap_err();
    assert!(refused.contains("more than 4096 paths"), "{refused}");
}
