//! What the macros refuse, with the words and the place that a user sees.

#[test]
fn what_is_refused_is_told_where_it_stands() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/refused/*.rs");
}
