//! Paths and their steps.

use super::{Step, steps};

#[track_caller]
fn check(path: &str, expected: Option<&[&str]>) {
    let met = steps(path).map(|steps| {
        let shown = |step: Step| match step {
            Step::Key(key) => key,
            Step::Index(index) => format!("#{index}"),
        };
        steps.into_iter().map(shown).collect::<Vec<_>>()
    });
    let met = met.as_ref().map(|steps| steps.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(met.as_deref(), expected, "{path}");
}

#[test]
fn a_path_to_one_place_is_its_steps() {
    check("$.location", Some(&["location"]));
    check("$.recipe.steps[10]", Some(&["recipe", "steps", "#10"]));
    check("$.a[0][1].b", Some(&["a", "#0", "#1", "b"]));
    check("$['a.b'][\"c]\"]", Some(&["a.b", "c]"]));
    check(r"$['it\'s \\ \u00e4 \ud83d\ude00 \n']", Some(&["it's \\ ä 😀 \n"]));
    check("$[0]", Some(&["#0"]));
}

#[test]
fn ambiguous_paths_parse_to_none() {
    for path in ["", "$", "a", "$a", "$..a", "$.", "$.a[", "$.a[*]", "$.a[-1]", "$['a", "$['a'", "$['\\u12']"]
    {
        check(path, None);
    }
    check(&"$.a".replace(".a", &".a".repeat(200)), None);
}
