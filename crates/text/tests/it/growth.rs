//! The cost of a glob and of a file of ignore rules grows with their bytes, up to a limit.

use windlass_testkit::growth::{self, MEGABYTE, Shape};
use windlass_text::{Glob, has_buildable_rules, rule_lines};

fn shapes() -> Vec<Shape> {
    [
        "a",
        "a/",
        "**/",
        "*",
        "?",
        "[a-z]",
        "[",
        "{",
        "{a,b}",
        "{a,",
        "}",
        "\\",
        "!",
        "\n",
        "a{n}/*.txt\n",
        "{a,b}{c,d}\n",
    ]
    .map(Shape::repeat)
    .to_vec()
}

#[test]
fn globs_and_ignore_rules_are_read_in_linear_time() {
    let test = "growth::globs_and_ignore_rules_are_read_in_linear_time";
    growth::check(test, MEGABYTE, &shapes(), |text| {
        assert!(Glob::new(text).is_err(), "a megabyte is refused");
        assert!(rule_lines(text).count() <= 5_000);
    });
}

#[test]
fn a_glob_is_built_in_linear_time_up_to_its_limit() {
    let test = "growth::a_glob_is_built_in_linear_time_up_to_its_limit";
    growth::check(test, 1_000, &shapes(), |text| {
        if let Ok(glob) = Glob::new(text) {
            let _ = glob.fits("src/deep/deeper/file.txt".as_ref());
        }
    });
}

#[test]
fn the_wildcards_of_an_ignore_file_are_limited() {
    let rules = |count: usize| "*a*b\n".repeat(count);
    assert!(has_buildable_rules(&rules(400)));
    assert!(!has_buildable_rules(&rules(401)));
    assert!(has_buildable_rules(&"a\n".repeat(5_000)));
    assert!(!has_buildable_rules(&"a\n".repeat(5_001)));
    let stars = |count: usize| format!("{}\n", "*a".repeat(100)).repeat(count) + "plain\n";
    assert!(has_buildable_rules(&stars(8)));
    assert!(!has_buildable_rules(&stars(9)));
    // Entries that fit into the rest are kept.
    assert_eq!(rule_lines(&stars(300)).count(), 9);
    assert!(has_buildable_rules(&format!("# {}\n", "*".repeat(2_000))));
}
