//! What a schema and the check of arguments may cost: beyond it the answer is a typed refusal.

use windlass_protocol::{Arguments, RawJson};
use windlass_schema::Checker;

/// The longest schema that a checker takes.
const LONGEST: usize = 256 * 1024;

#[test]
fn a_schema_that_is_too_long_is_refused() {
    let schema: RawJson = format!(r#"{{"description":"{}"}}"#, "a".repeat(LONGEST)).parse().unwrap();
    let refused = Checker::compile(&schema).unwrap_err();
    assert!(refused.to_string().contains("at most 262144 are taken"), "{refused}");
}

// Each level of the arguments would double the work: sixty levels take years.
#[test]
fn a_check_that_would_never_end_is_refused() {
    for schema in [
        r##"{"$defs":{"n":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}}},
            "properties":{"a":{"$ref":"#/$defs/n"}}}"##,
        r##"{"properties":{"a":{"$ref":"#n"}},
            "$defs":{"n":{"$anchor":"n","allOf":[{"items":{"$ref":"#n"}},{"items":{"$ref":"#n"}}]}}}"##,
        r##"{"properties":{"a":{"$ref":"#/$defs/%6E"}},
            "$defs":{"n":{"contains":{"$ref":"#/$defs/n"},"items":{"$ref":"#/$defs/n"}}}}"##,
    ] {
        let checker = Checker::compile(&schema.parse().unwrap()).unwrap();
        let nested = |depth: usize| {
            let (front, back) = ("[".repeat(depth), "]".repeat(depth));
            Arguments::parse(format!(r#"{{"a":{front}"x"{back}}}"#)).unwrap()
        };
        let refused = checker.check(&nested(60)).unwrap_err();
        assert!(refused[0].to_string().contains("too much work to check"), "{schema}: {refused:?}");
        assert_eq!(checker.wrong_paths(&nested(60)), Vec::<String>::new());
        // What is nested as tools nest it is checked.
        if let Err(wrong) = checker.check(&nested(5)) {
            assert!(!wrong[0].to_string().contains("too much"), "{schema}: {wrong:?}");
        }
    }
}
