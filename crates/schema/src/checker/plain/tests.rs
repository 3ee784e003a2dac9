//! Tests of the small validator: its messages, and its agreement with the complete validator.

use serde_json::{Value, json};
use windlass_testkit::{Need, corpora, require};

use super::super::Scope;
use super::Engine;

/// Enough for every pattern of these tests.
const BYTES: usize = 1 << 20;

/// Checks values that fit, and the messages about values that do not.
#[track_caller]
fn check(schema: &Value, fitting: &[Value], wrong: &[(Value, &str)]) {
    let engine = Engine::compile(schema, BYTES).expect("the schema has only common keywords");
    for value in fitting {
        let found = engine.violations(schema, value, Scope::Whole, 8);
        assert!(found.is_empty(), "{value}: {found:?}");
    }
    for (value, words) in wrong {
        let found: Vec<_> =
            engine.violations(schema, value, Scope::Whole, 8).iter().map(ToString::to_string).collect();
        assert_eq!(found.join("; "), *words, "{value}");
    }
}

#[test]
fn types_bounds_and_lists_are_checked() {
    check(
        &json!({"type": ["integer", "null"], "minimum": 2, "exclusiveMaximum": 9, "multipleOf": 2}),
        &[json!(2), json!(4.0), json!(null)],
        &[
            (json!("2"), "the arguments: found the string \"2\", expected an integer or null"),
            (json!(10), "the arguments: found the number 10, expected less than 9"),
            (json!(3), "the arguments: found the number 3, expected a multiple of 2"),
        ],
    );
    check(&json!({"multipleOf": 0.1}), &[json!(0.3), json!(7)], &[]);
    check(
        &json!({"enum": ["a", 1, {"b": [1]}]}),
        &[json!(1.0), json!({"b": [1.0]})],
        &[(json!("b"), "the arguments: found the string \"b\", expected one of [\"a\",1,{\"b\":[1]}]")],
    );
    check(
        &json!({"type": "string", "minLength": 2, "pattern": "^[\\w-]+\\/\\d$"}),
        &[json!("a-b/1")],
        &[
            (
                json!("ä/1"),
                "the arguments: found the string \"ä/1\", expected a text that matches ^[\\w-]+\\/\\d$",
            ),
            (
                json!("/"),
                "the arguments: found the string \"/\", expected at least 2 characters; \
                          the arguments: found the string \"/\", expected a text that matches ^[\\w-]+\\/\\d$",
            ),
        ],
    );
}

#[test]
fn missing_and_unknown_properties_are_named() {
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
        "patternProperties": {"^x-": true},
        "required": ["path"],
        "additionalProperties": false,
    });
    check(
        &schema,
        &[json!({"path": "a", "x-1": null})],
        &[
            (json!({}), "the arguments: found no `path`, expected the required `path`"),
            (json!({"path": 3}), "/path: found the number 3, expected a string"),
            (
                json!({"path": "a", "limt": 3}),
                "the arguments: found the unknown `limt`, expected perhaps `limit`",
            ),
        ],
    );
    let engine = Engine::compile(&schema, BYTES).unwrap();
    assert!(engine.violations(&schema, &json!({"limit": 1}), Scope::OneArgument, 8).is_empty());
}

#[test]
fn arrays_unions_conditions_and_references_are_checked() {
    check(
        &json!({"items": {"$ref": "#/$defs/a~1b"}, "uniqueItems": true, "$defs": {"a/b": {"type": "integer"}}}),
        &[json!([1, 2]), json!([])],
        &[
            (json!([1, "x"]), "/1: found the string \"x\", expected an integer"),
            (json!([1, 1.0]), "the arguments: found an array of 2 items, expected no item twice"),
        ],
    );
    check(
        &json!({"anyOf": [{"type": "string"}, {"properties": {"a": {"type": "null"}}, "required": ["a"], "type": "object"}]}),
        &[json!("x"), json!({"a": null})],
        &[(json!({"a": 1}), "the arguments: found an object of 1 members, expected a string or null at /a")],
    );
    check(
        &json!({"oneOf": [{"minimum": 1}, {"maximum": 3}]}),
        &[json!(0), json!(4)],
        &[(json!(2), "the arguments: found the number 2, expected a value that fits one alternative only")],
    );
    check(
        &json!({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"maxProperties": 0}, "not": {"required": ["c"]}}),
        &[json!({"a": 1, "b": 1}), json!({})],
        &[
            (json!({"a": 1}), "the arguments: found no `b`, expected the required `b`"),
            (json!({"d": 1}), "the arguments: found an object of 1 members, expected at most 0 properties"),
        ],
    );
}

#[test]
fn members_and_items_that_no_keyword_evaluates_are_checked() {
    check(
        &json!({
            "properties": {"a": {}},
            "anyOf": [{"properties": {"b": {"type": "null"}}, "required": ["b"]}, {"required": ["a"]}],
            "$ref": "#/$defs/c",
            "unevaluatedProperties": false,
            "$defs": {"c": {"patternProperties": {"^c": true}}}
        }),
        &[json!({"a": 1, "b": null, "c1": 1})],
        &[(
            json!({"a": 1, "b": 1}),
            "the arguments: found the unknown `b`, expected only the properties of the schema",
        )],
    );
    check(
        &json!({"prefixItems": [true], "contains": {"type": "null"}, "unevaluatedItems": {"type": "string"}}),
        &[json!([1, null, "a", null])],
        &[(
            json!([1, null, 2]),
            "the arguments: found an array of 3 items, expected no further item from position 2 on",
        )],
    );
    // Draft 7 does not have the keyword.
    let old = "http://json-schema.org/draft-07/schema#";
    check(&json!({"$schema": old, "unevaluatedProperties": false}), &[json!({"a": 1})], &[]);
}

// Each level applies its branch again for the members that it evaluates, so the work would double forty times.
#[test]
fn the_work_for_unevaluated_members_is_limited() {
    let mut schema = json!({"properties": {"a": true}});
    for _ in 0..40 {
        schema = json!({"allOf": [schema], "unevaluatedProperties": false});
    }
    let engine = Engine::compile(&schema, BYTES).unwrap();
    let found = engine.violations(&schema, &json!({"a": 1}), Scope::Whole, 8);
    assert!(found.iter().any(|one| one.met.contains("too much work")), "{found:?}");
}

#[test]
fn rare_keywords_and_wrong_schemas_are_refused_with_their_place() {
    for (schema, place) in [
        (json!({"properties": {"a": {"$dynamicRef": "#a"}}}), "/properties/a/$dynamicRef"),
        (json!({"items": {"$id": "b", "$ref": "#/$defs/x"}}), "/items/$id"),
        (json!({"$ref": "https://example.org/other.json"}), "/$ref"),
        (json!({"type": "strin"}), "/type"),
        (json!({"anyOf": [{"pattern": "(?=a)"}]}), "/anyOf/0/pattern"),
        (json!({"properties": {"a/b": 3}}), "/properties/a~1b"),
    ] {
        let refused = Engine::compile(&schema, BYTES).err().map(|error| error.path);
        assert_eq!(refused.as_deref(), Some(place), "{schema}");
    }
}

#[test]
fn deep_schemas_do_not_exhaust_the_stack() {
    let schemas =
        (0..5_000).map(|number| (format!("a{number}"), json!({"$ref": format!("#/$defs/a{}", number + 1)})));
    let mut schemas: serde_json::Map<String, Value> = schemas.collect();
    schemas.insert("a5000".to_owned(), json!({"type": "null"}));
    let schema = json!({"$ref": "#/$defs/a0", "$defs": schemas});
    let engine = Engine::compile(&schema, BYTES).unwrap();
    let found = engine.violations(&schema, &Value::Null, Scope::Whole, 8);
    assert!(found.iter().any(|one| one.met.contains("too much work")), "{found:?}");
}

#[test]
fn a_check_ends_at_the_violation_limit() {
    let names: Vec<String> = (0..100).map(|number| format!("n{number}")).collect();
    let many =
        json!({"required": names, "allOf": vec![json!(false); 100], "propertyNames": {"maxLength": 1}});
    let members = |count: usize| (0..count).map(|at| (format!("m{at:02}"), json!(at))).collect();
    let value = Value::Object(members(100));
    let engine = Engine::compile(&many, BYTES).unwrap();
    for most in [1, 8, 1_000] {
        let found = engine.violations(&many, &value, Scope::Whole, most);
        assert_eq!(found.len(), most.min(300));
        assert_eq!(engine.wrong_paths(&many, &value, most).len(), found.len());
    }
    assert_eq!(engine.first_wrong_path(&many, &value).as_deref(), Some(""));
    assert!(engine.first_violation(&many, &value, Scope::Whole).is_some());
    assert!(!engine.is_valid(&many, &value));
}

#[test]
fn the_size_of_a_compiled_pattern_is_limited() {
    let schema = json!({"pattern": "\\pL{10}"});
    assert!(Engine::compile(&schema, BYTES).is_ok());
    let refused = Engine::compile(&schema, 10_000).err().expect("the pattern is larger");
    assert_eq!(refused.path, "/pattern");
}

// A path names each part of a schema once; below a long name that would be its length times the parts.
#[test]
fn a_long_name_is_not_repeated_in_paths() {
    let long = "k".repeat(100_000);
    let schema = json!({"properties": {(long): {"properties": {"a": {"type": "strin"}}}}});
    let refused = Engine::compile(&schema, BYTES).err().expect("the type is unknown");
    assert_eq!(refused.path, "/properties/…/properties/a/type");
}

// Groups of the suite whose schemas need references to other documents, dynamic references or an `$id` in a subschema
// are refused. Vocabularies of another document, which switch keywords off, are not read.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads the suite")]
fn the_suite_of_json_schema_agrees() {
    let folder = require!(Need::Corpora, corpora::find("schema/JSON-Schema-Test-Suite/tests/draft2020-12"));
    let (mut cases, mut refused, mut wrong) = (0, 0, Vec::new());
    for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.ends_with("vocabulary.json") {
            continue;
        }
        let Ok(text) = std::fs::read(&file) else { continue };
        let groups: Vec<Value> = serde_json::from_slice(&text).unwrap();
        for group in &groups {
            let schema = &group["schema"];
            let Ok(engine) = Engine::compile(schema, BYTES) else {
                refused += 1;
                continue;
            };
            for case in group["tests"].as_array().unwrap() {
                cases += 1;
                if engine.is_valid(schema, &case["data"]) != case["valid"].as_bool().unwrap() {
                    wrong.push(format!(
                        "{}: {}: {}",
                        file.display(),
                        group["description"],
                        case["description"]
                    ));
                }
            }
        }
    }
    println!("{cases} cases, {refused} groups refused");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(cases > 1_000, "{cases}");
}

#[cfg(feature = "jsonschema")]
mod beside_the_complete_validator {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::super::super::complete;
    use super::{BYTES, Engine};

    fn scalar() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3_i64..4).prop_map(Value::from),
            prop::sample::select(vec![0.5, 1.0, 2.5, -1.0]).prop_map(Value::from),
            "[ab1]{0,3}".prop_map(Value::from),
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        scalar().prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[abc]", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    fn keyword(inner: BoxedStrategy<Value>) -> BoxedStrategy<(&'static str, Value)> {
        let schemas = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from).boxed();
        let named = prop::collection::btree_map("[abc]", inner.clone(), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
            .boxed();
        let required = prop::collection::btree_set("[abc]", 0..3).prop_map(|names| json!(names)).boxed();
        let kinds = ["string", "integer", "number", "boolean", "object", "array", "null"];
        let kind = prop::sample::select(kinds.to_vec()).prop_map(Value::from);
        let count = (0_u64..3).prop_map(Value::from).boxed();
        let bound = prop_oneof![(-2_i64..3).prop_map(Value::from), Just(json!(0.5))].boxed();
        prop_oneof![
            prop_oneof![
                kind.clone(),
                prop::collection::btree_set(kind.prop_map(|k| k.to_string()), 1..3).prop_map(|kinds| {
                    Value::Array(kinds.iter().map(|kind| serde_json::from_str(kind).unwrap()).collect())
                })
            ]
            .prop_map(|value| ("type", value)),
            prop::collection::vec(value(), 1..3).prop_map(|all| ("enum", Value::from(all))),
            value().prop_map(|value| ("const", value)),
            (prop::sample::select(vec!["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]), bound),
            prop::sample::select(vec![json!(1), json!(2), json!(0.5)])
                .prop_map(|value| ("multipleOf", value)),
            (
                prop::sample::select(vec![
                    "minLength",
                    "maxLength",
                    "minItems",
                    "maxItems",
                    "minProperties",
                    "maxProperties"
                ]),
                count.clone()
            ),
            prop::sample::select(vec!["^a", "\\d", "[^ab]$"])
                .prop_map(|value| ("pattern", Value::from(value))),
            (prop::sample::select(vec!["allOf", "anyOf", "oneOf", "prefixItems"]), schemas),
            (prop::sample::select(vec!["properties", "dependentSchemas"]), named),
            inner.clone().prop_map(|schema| ("patternProperties", json!({"[ab]": schema}))),
            (
                prop::sample::select(vec![
                    "items",
                    "additionalProperties",
                    "contains",
                    "unevaluatedItems",
                    "unevaluatedProperties",
                    "not",
                    "if",
                    "then",
                    "else"
                ]),
                inner
            ),
            Just(("propertyNames", json!({"enum": ["a", "b"]}))),
            required.clone().prop_map(|names| ("required", names)),
            required.prop_map(|names| ("dependentRequired", json!({"a": names}))),
            any::<bool>().prop_map(|unique| ("uniqueItems", Value::from(unique))),
            (prop::sample::select(vec!["minContains", "maxContains"]), count),
            Just(("$ref", json!("#/$defs/d"))),
        ]
        .boxed()
    }

    fn schema() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![any::<bool>().prop_map(Value::from), Just(json!({"type": "integer"}))].boxed();
        let nested = leaf.prop_recursive(3, 24, 3, |inner| {
            prop::collection::vec(keyword(inner.boxed()), 0..4).prop_map(|keywords| {
                Value::Object(keywords.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            })
        });
        let rest = prop::sample::select(vec![json!(true), json!(false), json!({"type": "integer"})]);
        let rest = prop::collection::vec(rest, 2);
        (nested, rest).prop_map(|(schema, rest)| {
            json!({
                "allOf": [schema],
                "unevaluatedItems": rest[0],
                "unevaluatedProperties": rest[1],
                "$defs": {"d": {"type": ["integer", "object"]}}
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn both_accept_the_same_values_at_the_same_places(schema in schema(), value in value()) {
            let complete = complete::Engine::compile(&schema, BYTES).expect("the grammar makes valid schemas");
            let plain = Engine::compile(&schema, BYTES).expect("the grammar has common keywords");
            let mut wanted = complete.wrong_paths(&schema, &value, 1_000);
            let mut found = plain.wrong_paths(&schema, &value, 1_000);
            wanted.sort();
            wanted.dedup();
            found.sort();
            found.dedup();
            prop_assert_eq!(found, wanted, "{} {}", schema, value);
        }
    }
}
