//! Files and folders that commands touch, the depth below them, and the certainty.

use windlass_command::{Access, Command, Effects, TouchKind, TouchedPath};

/// Each touch as `r` (read), `w` (write), `d` (delete) or `?` (any), `+` where it reaches below, `~` where it is not
/// sure, `/` where it begins at the top of the repository, and the path.
fn touches(text: &str) -> Vec<String> {
    let effects = Command::parse(text).unwrap().effects();
    effects.touches().iter().map(word).collect()
}

fn word(touched: &TouchedPath) -> String {
    let kind = match touched.kind() {
        TouchKind::Read => "r",
        TouchKind::Write => "w",
        TouchKind::Delete => "d",
        TouchKind::Any => "?",
    };
    let mark = |is: bool, mark: &'static str| if is { mark } else { "" };
    let (below, sure, root) = (touched.reaches_below(), touched.is_sure(), touched.is_from_root());
    format!("{kind}{}{}{} {}", mark(below, "+"), mark(!sure, "~"), mark(root, "/"), touched.path())
}

#[track_caller]
fn has(text: &str, expected: &[&str]) {
    let found = touches(text);
    for touch in expected {
        assert!(found.iter().any(|found| found == touch), "{text}: {touch} is not in {found:?}");
    }
}

#[track_caller]
fn has_not(text: &str, touch: &str) {
    let found = touches(text);
    assert!(!found.iter().any(|found| found == touch), "{text}: {found:?}");
}

// security 2
#[test]
fn searching_a_folder_reads_everything_below_it() {
    has("grep -r X .", &["r+ ."]);
    has("grep -r X private", &["r+ private"]);
    has("grep -d recurse X", &["r+ ."]);
    has("rg X", &["r+ ."]);
    has("rg X private", &["r+ private"]);
    has("ls -R", &["r+ ."]);
    has("find . -name x", &["r+ ."]);
    has("find private -exec cat '{}' +", &["r+ private", "?~ private"]);
    has("tree", &["r+ ."]);
    has("diff -r a b", &["r+ a", "r+ b"]);
    has("diff a b", &["r a", "r+~ b"]);
    has("grep X a.txt", &["r a.txt"]);
    has("cat a.txt < b", &["r a.txt", "r b"]);
    has_not("ls src", "r+ src");
}

#[test]
fn removing_or_moving_a_folder_affects_everything_below_it() {
    has("rm -r private", &["d+ private"]);
    has("rm -rf private/sub", &["d+ private/sub"]);
    has("rm --recurs x", &["d+ x"]);
    has("rm a", &["d a"]);
    has("rmdir a", &["d a"]);
    has("mv private q", &["d+ private", "r+ private", "w q", "w q/private"]);
    has("mv -t q private", &["d+ private", "w q/private"]);
    has("mv --target-directory=q private", &["d+ private", "w q/private"]);
    has("find private -delete", &["d+ private"]);
}

#[test]
fn a_copy_reads_everything_that_it_copies() {
    has("cp -r private q", &["r+ private", "w q", "w q/private"]);
    has("cp -a private/ q", &["r+ private/", "w q/private"]);
    has("cp a b", &["r a", "w b", "w b/a"]);
    has("ln -s private q", &["r+ private", "w q"]);
    has("rsync -a private/ q", &["r+ private/", "w+ q"]);
    has("tar cf x private", &["r+~ private", "?~ x"]);
    has("zip -r x private", &["r+~ private"]);
    has("dd if=a of=b", &["r a", "w b"]);
    has("frobnicate --out=a -Ib @c d", &["?~ a", "?~ b", "?~ c", "?~ d"]);
}

#[test]
fn git_reads_include_stored_contents() {
    for text in [
        "git log -p",
        "git log -u -3",
        "git log --stat",
        "git log -S x",
        "git show",
        "git show HEAD",
        "git diff",
        "git diff HEAD",
        "git ls-files",
        "git cat-file -p abc",
        "git cat-file blob abc",
        "git archive HEAD",
        "git stash show -p",
        "git grep X",
        "git status -v",
        "git ls-tree -r HEAD",
        "git format-patch HEAD",
        "git --git-dir=.git log -p",
    ] {
        has(text, &["r+/ ."]);
    }
    for text in [
        "git status",
        "git log --oneline -5",
        "git branch -a",
        "git show --no-patch",
        "git rev-parse HEAD",
        "git log --format=%h",
    ] {
        has_not(text, "r+/ .");
    }
    has("git diff -- src", &["r+ src"]);
    has_not("git diff -- src", "r+/ .");
    has("git diff HEAD -- 'src/*.rs'", &["r+ src"]);
    has("git diff -- ':(exclude)src'", &["r+/ ."]);
    has("git worktree add x", &["r+~ ."]);
    has("git blame a.rs", &["r a.rs"]);
    has("git log -L1,5:private/x", &["r/ private/x"]);
}

// security 14
#[test]
fn a_path_behind_a_revision_is_a_path() {
    has("git show HEAD:.env", &["r/ .env"]);
    has("git show :.env", &["r/ .env"]);
    has("git show :0:.env", &["r/ .env"]);
    has("git show HEAD:./.env", &["r ./.env"]);
    has("git cat-file -p 'HEAD@{1:30}:private/x.txt'", &["r/ private/x.txt"]);
    has("git cat-file blob HEAD:.env", &["r/ .env"]);
    has("git diff HEAD:a main:b", &["r/ a", "r/ b"]);
    has_not("git show HEAD:a", "r+/ .");
    has("git show HEAD:a HEAD", &["r/ a", "r+/ ."]);
    has("git -C sub show HEAD:.env", &["r/ .env"]);
    let effects = Command::parse("git show HEAD:.env").unwrap().effects();
    assert!(effects.reads().contains(&".env".to_owned()));
}

// correctness-2 10
#[test]
fn written_files_are_reported_for_every_option_form() {
    has("chmod --reference=x protected/f", &["w protected/f", "r x"]);
    has("chmod --reference x protected/f", &["w protected/f", "r x"]);
    has("chmod --ref=x protected/f", &["w protected/f"]);
    has("chown --reference=x protected/f", &["w protected/f"]);
    has("chmod -x protected/f", &["w protected/f"]);
    has("chmod -t protected/f", &["w protected/f"]);
    has("chmod +x a", &["w a"]);
    has_not("chmod +x a", "w +x");
    has("chmod -R 700 a", &["w+ a"]);
    has("git log --output=protected/f", &["w protected/f"]);
    has("git diff --output protected/f", &["w protected/f"]);
    has("git diff -Oprotected/f", &["w protected/f"]);
    has("patch protected/f x", &["w protected/f", "w x"]);
    has("patch -o protected/f a x", &["w protected/f"]);
    has("patch -oprotected/f a x", &["w protected/f"]);
    has("patch", &["w+~ ."]);
    has("sort -o protected/f a", &["w protected/f"]);
    has("sort -noprotected/f a", &["w oprotected/f"]);
    has("sort --output=protected/f a", &["w protected/f"]);
    has("tree -o protected/f", &["w protected/f"]);
    has("uniq a protected/f", &["w protected/f"]);
    has("sed -i 3p protected/f", &["w protected/f"]);
    has("find . -fprintf protected/f x", &["w protected/f"]);
    has("truncate --reference=x protected/f", &["w protected/f", "r x"]);
    has("touch -r x protected/f", &["w protected/f"]);
}

#[test]
fn operands_of_known_readers_are_not_writes() {
    for text in ["ls -la", "cat a", "grep -rn x src", "git log -3", "diff a b", "sort a", "find . -name a"] {
        let effects = Command::parse(text).unwrap().effects();
        assert_ne!(effects.access(), Access::Unproven, "{text}");
        assert!(effects.touches().iter().all(|touched| touched.kind() == TouchKind::Read), "{text}");
    }
    assert!(
        Effects::from_argv(&["grep".to_owned(), "--frob".to_owned(), "x".to_owned()]).writes().is_empty()
    );
}
