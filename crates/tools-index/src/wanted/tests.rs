//! The cost of a query for a name grows with its length, up to a limit.

use windlass_testkit::growth::{self, Shape};

use super::{Matching, NameQuery};

#[test]
fn a_query_is_built_in_linear_time_up_to_its_limit() {
    let shapes =
        ["a", "(", "a*", "(a|b)", "\\pL", "\\w{9}", "(?i)b", "[a-z]", "a{9}", ".", "\u{e9}", "\u{17f}", "k"]
            .map(Shape::repeat);
    let test = "wanted::tests::a_query_is_built_in_linear_time_up_to_its_limit";
    growth::check(test, 200, &shapes, |text| {
        for matching in [Matching::Contains, Matching::Exact, Matching::Fuzzy, Matching::Regex] {
            if let Ok(sought) = NameQuery::new(text, matching) {
                let _ = (sought.may_be_in(b"fn name() {}"), sought.distance("name"));
            }
        }
    });
    assert!(NameQuery::new(&"a".repeat(201), Matching::Fuzzy).is_err());
}
