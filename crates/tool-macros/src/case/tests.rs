//! Each case by its name in serde.

use proc_macro2::Span;
use syn::LitStr;

use super::Case;

#[track_caller]
fn check(case: &str, expected: &str) {
    let case = Case::parse(&LitStr::new(case, Span::call_site())).unwrap();
    assert_eq!(case.apply("max_line_count"), expected);
}

#[test]
fn fields_are_renamed_as_serde_renames_them() {
    check("lowercase", "max_line_count");
    check("snake_case", "max_line_count");
    check("UPPERCASE", "MAX_LINE_COUNT");
    check("SCREAMING_SNAKE_CASE", "MAX_LINE_COUNT");
    check("PascalCase", "MaxLineCount");
    check("camelCase", "maxLineCount");
    check("kebab-case", "max-line-count");
    check("SCREAMING-KEBAB-CASE", "MAX-LINE-COUNT");
}

#[test]
fn a_case_that_serde_does_not_have_is_an_error() {
    assert!(Case::parse(&LitStr::new("Title Case", Span::call_site())).is_err());
}
