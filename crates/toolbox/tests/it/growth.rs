//! The cost of a file of modes grows with its bytes, up to a limit.

use windlass_testkit::growth::{self, Shape};
use windlass_toolbox::{FilePattern, ModeError, ModeOwner, WorkModes};

const MODE: &str = "[[mode]]\nslug = \"m{n}\"\nname = \"M\"\nrole = \"R\"\n";

fn group(pattern: &str) -> String {
    format!("{{ group = \"read\", file_regex = '{pattern}' }}, ")
}

#[test]
fn modes_that_are_too_many_are_refused_before_their_patterns_are_built() {
    let refused = |text: &str| WorkModes::builtin().with_file(text, ModeOwner::User).unwrap_err();
    let modes = Shape::repeat(format!("{MODE}groups = [{}]\n", group("a"))).text(10_000);
    assert!(matches!(refused(&modes), ModeError::TooMany));
    let groups = format!("{}groups = [{}]\n", MODE.replace("{n}", ""), group("a").repeat(9));
    assert!(matches!(refused(&groups), ModeError::TooManyGroups { .. }), "{}", refused(&groups));
}

/// The longest file of modes, in bytes.
const LONGEST: usize = 256 * 1024;

#[test]
fn a_file_of_modes_is_read_in_linear_time_up_to_its_limit() {
    let heavy = group(r"^(\pL{1,20}/)+\d$").repeat(8);
    // All but the last of these have no effect, but their syntax is checked.
    let replaced = group(&r"(?i)\pL".repeat(20)).repeat(8);
    let shapes = [
        Shape::repeat(format!("{MODE}groups = [\"read\"]\n")),
        Shape::repeat(format!("{MODE}groups = [{heavy}]\n")),
        Shape::repeat(format!("{MODE}groups = [{replaced}]\n")),
        Shape::new(format!("{}groups = [", MODE.replace("{n}", "")), "\"read\", ", "]\n"),
        Shape::new(format!("{}groups = [", MODE.replace("{n}", "")), group("a"), "]\n"),
        Shape::repeat("[[mode]]\n"),
    ];
    let shapes = [shapes.to_vec(), growth::toml_shapes()].concat();
    growth::check(
        "growth::a_file_of_modes_is_read_in_linear_time_up_to_its_limit",
        LONGEST,
        &shapes,
        |text| {
            let _ = WorkModes::builtin().with_file(text, ModeOwner::Project);
        },
    );
    let long = format!("{MODE}groups = []\n#{}", "a".repeat(LONGEST));
    let refused = WorkModes::builtin().with_file(&long, ModeOwner::User).unwrap_err();
    assert!(matches!(refused, ModeError::TooLong { .. }), "{refused}");
}

// Each pattern alone stays below the limit of one pattern.
#[test]
fn modes_with_as_many_patterns_as_are_taken_are_read_in_linear_time() {
    let modes = |pattern: &str| {
        let groups = group(pattern).repeat(8);
        let mode = |at: usize| format!("{}groups = [{groups}]\n", MODE.replace("{n}", &at.to_string()));
        (0..27).map(mode).collect::<String>()
    };
    let parts = ["a", r"\d", "a*", "(a|b)", "[a-z]{2}", "(?i)b", r"[^/]+/", "é", "a|", "x{9}"];
    let classes = [r"\pL", r"\w", r"\w\w", r"\pL{3}", r"(?i)[a-zé]{50}", r"[^/]{90}", r"a{900}"];
    let shapes = parts.map(Shape::repeat).into_iter();
    let shapes: Vec<_> = shapes.chain(classes.map(|front| Shape::new(front, "a", ""))).collect();
    let test = "growth::modes_with_as_many_patterns_as_are_taken_are_read_in_linear_time";
    growth::check(test, 400, &shapes, |pattern| {
        let file = modes(pattern);
        assert!(file.len() <= LONGEST);
        if let Ok(modes) = WorkModes::builtin().with_file(&file, ModeOwner::Project) {
            assert_eq!(modes.iter().count(), 32);
        }
    });
}

#[test]
fn a_file_pattern_is_built_and_matched_in_linear_time_up_to_its_limit() {
    let shapes =
        ["a", "(", "a*", "(a|b)", r"\pL{9}", r"[a-z]{9}", "a|", "(?i)b", "[01]*1[01]{9}"].map(Shape::repeat);
    let test = "growth::a_file_pattern_is_built_and_matched_in_linear_time_up_to_its_limit";
    growth::check(test, 1_000, &shapes, |text| {
        if let Ok(pattern) = FilePattern::new(text) {
            let _ = pattern.has(&"a1/".repeat(1_000));
        }
    });
    assert!(FilePattern::new(&"a".repeat(1_001)).is_err());
}
