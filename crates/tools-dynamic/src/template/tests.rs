//! Templates, filled and refused.

use windlass_protocol::Arguments;

use super::Template;

fn template(argv: &[&str]) -> Result<Template, String> {
    let argv: Vec<_> = argv.iter().map(|word| (*word).to_owned()).collect();
    Template::new(&argv, |name| ["path", "paths", "deep", "n"].contains(&name))
}

#[track_caller]
fn check(argv: &[&str], arguments: &str, expected: Result<&[&str], &str>) {
    let filled = template(argv).unwrap().fill(&Arguments::parse(arguments).unwrap());
    match (filled, expected) {
        (Ok(words), Ok(expected)) => assert_eq!(words, expected),
        (Err(told), Err(part)) => assert!(told.contains(part), "{part:?} is not in {told}"),
        (met, wanted) => panic!("{argv:?} {arguments}: {met:?}, wanted {wanted:?}"),
    }
}

#[test]
fn placeholder_values_are_substituted_once_per_argument() {
    check(&["ls", "{path}"], r#"{"path":"a b; rm -rf $HOME {n}"}"#, Ok(&["ls", "a b; rm -rf $HOME {n}"]));
    check(&["ls", "{paths}"], r#"{"paths":["a",1,true]}"#, Ok(&["ls", "a", "1", "true"]));
    check(&["ls", "{path}", "{n}"], "{}", Ok(&["ls"]));
    check(&["ls", "{path}"], r#"{"path":null}"#, Ok(&["ls"]));
    check(
        &["head", "-n", "{n}", "{path}"],
        r#"{"n":12345678901234567890,"path":""}"#,
        Ok(&["head", "-n", "12345678901234567890", ""]),
    );
    check(&["awk", "{print $1}", "{path}"], r#"{"path":"x"}"#, Ok(&["awk", "{print $1}", "x"]));
}

#[test]
fn no_value_becomes_an_option() {
    check(&["rg", "{path}"], r#"{"path":"--pre=evil"}"#, Err("begins with `-`"));
    check(&["rg", "{paths}"], r#"{"paths":["a","-x"]}"#, Err("begins with `-`"));
    check(&["rg", "--", "{path}"], r#"{"path":"--pre=evil"}"#, Ok(&["rg", "--", "--pre=evil"]));
    check(&["rg", "{path}"], r#"{"path":"a\u0000b"}"#, Err("NUL"));
    check(&["rg", "{deep}"], r#"{"deep":{"a":1}}"#, Err("deep is not a string"));
}

#[test]
fn an_invalid_template_is_refused() {
    for (argv, told) in [
        (&["ls", "--dir={path}"][..], "a word of its own"),
        (&["ls", "{nothing}"], "does not name a property"),
        (&["{path}"], "a program"),
        (&[], "a program"),
        (&[""], "a program"),
    ] {
        let error = template(argv).unwrap_err();
        assert!(error.contains(told), "{argv:?}: {error}");
    }
}
