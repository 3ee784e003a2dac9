//! Growth tests: the analysis of a command takes time linear in its length, for every shape of command.
#![expect(clippy::format_collect, reason = "texts are made of pieces")]

use windlass_testkit::growth::{self, MEGABYTE, Shape};

use crate::kind::wrappers::WRAPPERS;
use crate::{
    Certainty, Command, Effects, Excess, LEAST_WORK, MAX_SCAN_BYTES, Scan, WORK_PER_BYTE, is_protected_name,
    is_secret_name, quote,
};

/// Programs that run other programs.
const RUNNERS: [&str; 20] = [
    "xargs -z ",
    "git -c a=b ",
    "git -c alias.a=b ",
    "git foreach ",
    "foreach ",
    "run ",
    "find . -exec rm ",
    "-exec rm ",
    "-exec find ",
    "-exec git ",
    "-exec python ",
    "-exec bash -c 'rm x' ",
    "bash -c ",
    "bash -c '",
    "sh -c \"",
    "env env env ",
    "env -S ",
    "env -iS 'x' ",
    "sudo ",
    "sudo -x ",
];
/// Openings and closings of the grammar.
const BRACKETS: [&str; 21] = [
    "$(",
    "`",
    "\"$(",
    "${x:-",
    "${a",
    "$((",
    "(",
    "((",
    "<(",
    ">(",
    "{",
    "{a,",
    "}",
    "[",
    "[[",
    "(){",
    ":(){ :|:& };",
    "f() { ",
    "<<E\n",
    "<<'E'\n",
    "<<<x ",
];
/// Globs and quotes.
const GLOBS_AND_QUOTES: [&str; 11] =
    ["*", "?", "[a-z]", "/bin/r? ", "'", "\"", "\\", "'\\''", "$'\\x41'", "$'", "$\""];
/// Operators, assignments, keywords and comments.
const CONTROL: [&str; 21] = [
    "|",
    "||",
    "&&",
    ";",
    "&",
    "a|",
    "a|sh|",
    "sh|",
    "echo 'a b'|sh|",
    "x=y ",
    "x= ",
    "GIT_A=b ",
    "GIT_A=b git ",
    "eval ",
    "eval 'a b' ",
    "if ",
    "then ",
    "case a in a) ",
    "for a in ",
    "# a",
    "#",
];
/// Programs that write, and texts of other languages.
const WRITERS: [&str; 19] = [
    "rm ",
    "rm -rf / ",
    "rm -rf /a",
    "touch a ",
    "cp a b ",
    "mv ",
    "chmod +x ",
    "tee >",
    "> a ",
    ">a<b ",
    "2>&1 ",
    "awk '{' ",
    "python3 -c 'a(b)' ",
    "tar -I 'a b' ",
    "make a='b c' ",
    "alias a=b ",
    "ssh -o a='b c' h ",
    "a b c ",
    "a ",
];
/// Unusual characters, options and paths.
const WORDS: [&str; 17] = [
    "\u{e9} ", "\n", "\t", "\u{2028}", "\u{feff}", "\0", "-", "- ", "-- ", "--a=b ", "-a b ", "HEAD:a ", ":",
    "a:b ", "@{", "a/", "../",
];
/// Launchers with a command in an argument.
const LAUNCHERS: [&str; 7] = [
    "cargo run ",
    "npm exec ",
    "docker run a ",
    "nix-shell --run 'a b' ",
    "vim '!a b' ",
    "expect 'spawn a' ",
    "coreutils --coreutils-prog=a ",
];

/// Returns the texts that are repeated to build long commands.
fn shapes() -> Vec<String> {
    let groups: [&[&str]; 7] =
        [&RUNNERS, &BRACKETS, &GLOBS_AND_QUOTES, &CONTROL, &WRITERS, &WORDS, &LAUNCHERS];
    groups.into_iter().flatten().map(|piece| (*piece).to_owned()).collect()
}

/// Returns the repeated texts for every wrapper in this crate's table.
fn wrapper_shapes() -> Vec<String> {
    let of =
        |name: &str| [format!("{name} -z "), format!("{name} -c 'a b' "), format!("find . -exec {name} ")];
    WRAPPERS.iter().flat_map(|wrapper| of(wrapper.name)).collect()
}

/// Programs whose words are paths that they write, each one started by the words of the one before.
fn writer_shapes() -> Vec<String> {
    let others = ["sed -i", "perl -i", "uniq", "sort -o", "tar", "git", "rsync", "dd of=a", "frobnicate"];
    let writers = crate::effects::names().chain(others);
    writers.map(|name| format!("find . -exec {name} ")).collect()
}

fn all_shapes() -> impl Iterator<Item = String> {
    shapes().into_iter().chain(wrapper_shapes()).chain(writer_shapes())
}

/// Analyses a text with every function of this crate.
fn assess(text: &str) {
    let scan = Scan::read(text);
    check(&scan, text.len());
    let _ = (scan.runs(&["git", "push"]), scan.may_run(&["rm", "-rf"]));
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let scan = Scan::scan_argv(&words);
    check(&scan, text.len().saturating_add(1));
    let _ = (scan.runs(&["git", "push"]), scan.may_run(&["rm", "-rf"]));
    let effects = Effects::from_argv(&words);
    assert!(effects.excess().is_none() || !effects.doubts().is_empty());
    let _ = Command::parse(text).map(|command| command.effects());
    let _ = (is_protected_name(text), is_secret_name(text), quote(text));
}

fn check(scan: &Scan, bytes: usize) {
    assert!(scan.work() <= bytes.saturating_mul(WORK_PER_BYTE).saturating_add(LEAST_WORK));
    assert!(scan.excess().is_none() || scan.certainty() == Certainty::Partial);
}

/// The length of the measured commands. A debug build takes minutes for all shapes of the longest ones.
const MEASURED: usize = if cfg!(debug_assertions) { 16 * 1024 } else { MAX_SCAN_BYTES };

// Regression test for the finding "security 9": a command of 2.7 KB took 27 s, and a command of 126 KB
// overflowed the stack.
#[test]
fn every_shape_is_assessed_in_linear_time_up_to_the_limit() {
    let shapes: Vec<_> = all_shapes().map(Shape::repeat).collect();
    let test = "growth::every_shape_is_assessed_in_linear_time_up_to_the_limit";
    growth::check(test, MEASURED, &shapes, assess);
}

#[test]
fn a_megabyte_of_every_shape_is_refused_in_linear_time() {
    let shapes: Vec<_> = all_shapes().map(Shape::repeat).collect();
    growth::check("growth::a_megabyte_of_every_shape_is_refused_in_linear_time", MEGABYTE, &shapes, assess);
}

#[test]
fn excessive_input_is_reported() {
    assert_eq!(Scan::read(&"a".repeat(MAX_SCAN_BYTES + 1)).excess(), Some(Excess::Bytes));
    assert_eq!(Effects::from_argv(&["a".repeat(MAX_SCAN_BYTES + 1)]).excess(), Some(Excess::Bytes));
    let nested = "-exec find ".repeat(10_000);
    assert_eq!(Scan::read(&format!("find . {nested}")).excess(), Some(Excess::Work));
    let paths: String = (0..9_000).map(|number| format!("touch a{number}\n")).collect();
    assert_eq!(Scan::read(&paths).excess(), Some(Excess::Paths));
}

#[test]
fn ordinary_long_commands_are_assessed_to_their_end() {
    let script =
        format!("cat > x.py <<'E'\n{}E\n", "print(\"it is 'quoted'\", [1, 2], {3: 4})\n".repeat(2_000));
    let files =
        format!("rustfmt {}", (0..3_000).map(|number| format!("src/file_{number}.rs ")).collect::<String>());
    let find = format!("find . {} -print", "-name '*.rs' -o ".repeat(2_000));
    let pipes = "cat a | grep b | sort -u > c; ".repeat(2_000);
    for text in [script, files, find, pipes] {
        assert_eq!(Scan::read(&text).excess(), None, "{}", text.get(..40).unwrap_or_default());
    }
}
