//! A tool's schema in every dialect (N5, N6).

use proptest::prelude::*;
use serde_json::Value;
use windlass_protocol::{Arguments, RawJson};
use windlass_schema::{CompileOptions, Dialect, RootUnion, coerce};
use windlass_testkit::oracle::{schema_compile, schema_refusals};

/// Checks the compiled schema in a dialect, and the reported losses.
#[track_caller]
fn check(dialect: Dialect, schema: &str, expected: &str, lost: &[&str]) {
    let compiled = dialect.compile(&schema.parse().unwrap());
    assert_eq!(compiled.schema.as_str(), expected, "{dialect}");
    let told: Vec<String> = compiled.losses.iter().map(ToString::to_string).collect();
    assert_eq!(told, lost, "{dialect}");
    assert_eq!(schema_refusals(dialect, &compiled.schema.to_value()), Vec::<String>::new());
}

const PLAIN: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"A file."},"line":{"type":"integer"}},"required":["path"]}"#;

#[test]
fn a_legal_schema_keeps_its_bytes() {
    let others = Dialect::ALL
        .into_iter()
        .filter(|dialect| !matches!(dialect, Dialect::OpenAiStrict | Dialect::Gemini));
    for dialect in others {
        check(dialect, PLAIN, PLAIN, &[]);
    }
}

#[test]
fn strict_mode_requires_all_properties_and_makes_optional_ones_nullable() {
    check(
        Dialect::OpenAiStrict,
        PLAIN,
        r#"{"type":"object","properties":{"path":{"type":"string","description":"A file."},"line":{"type":["integer","null"]}},"required":["path","line"],"additionalProperties":false}"#,
        &[],
    );
    check(
        Dialect::OpenAiStrict,
        r##"{"properties":{"e":{"enum":["a","b"]},"n":{"$ref":"#/definitions/n","description":"words"}},"definitions":{"n":{"type":"integer","minimum":1}}}"##,
        r##"{"type":"object","properties":{"e":{"enum":["a","b",null],"type":["string","null"]},"n":{"description":"words","anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["e","n"],"additionalProperties":false,"$defs":{"n":{"type":"integer","minimum":1}}}"##,
        &[],
    );
}

#[test]
fn an_unsupported_default_moves_to_the_description() {
    check(
        Dialect::OpenAiStrict,
        r#"{"properties":{"n":{"type":"integer","description":"How many.","default":10}},"required":["n"]}"#,
        r#"{"type":"object","properties":{"n":{"type":"integer","description":"How many. (default: 10)"}},"required":["n"],"additionalProperties":false}"#,
        &[],
    );
}

#[test]
fn gemini_has_one_type_and_an_order_of_properties() {
    check(
        Dialect::Gemini,
        r#"{"$schema":"x","type":"object","properties":{"b":{"type":["string","null"],"format":"uri"},"a":{"type":["string","integer"],"description":"d"},"c":{"const":"x"}},"required":["b","gone"],"additionalProperties":false}"#,
        r#"{"type":"object","properties":{"b":{"type":"string","nullable":true,"description":"format: \"uri\""},"a":{"anyOf":[{"type":"string","description":"d"},{"type":"integer","description":"d"}]},"c":{"enum":["x"],"type":"string"}},"required":["b"],"propertyOrdering":["b","a","c"]}"#,
        &[
            "/properties/b: `format` is stated only in the description",
            "the root: `required` names an undefined property, which is not sent",
        ],
    );
}

#[test]
fn recursive_references_are_kept_where_supported_and_cut_elsewhere() {
    let tree = r##"{"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"}}}}}"##;
    check(Dialect::Anthropic, tree, tree, &[]);
    check(
        Dialect::Gemini,
        tree,
        r#"{"type":"object","properties":{"tree":{"type":"object","properties":{"name":{"type":"string"},"next":{"type":"string","description":"a JSON object, written as text"}},"propertyOrdering":["name","next"]}}}"#,
        &[
            "/properties/tree/properties/next: `$ref` leads back to itself, and is cut here",
            "/properties/tree/properties/next: `properties` cannot be expressed here: the object is \
             requested as a string that contains JSON",
        ],
    );
    let root = r##"{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}}}"##;
    check(
        Dialect::OpenAi,
        root,
        r##"{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/root"}}},"$defs":{"root":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/root"}}}}}}"##,
        &[],
    );
}

#[test]
fn no_reference_is_fetched_and_dangling_references_accept_any_value() {
    check(
        Dialect::OpenAi,
        r#"{"type":"object","properties":{"a":{"$ref":"https://example.com/s"}}}"#,
        r#"{"type":"object","properties":{"a":{}}}"#,
        &["/properties/a: `$ref` leads to nothing in this schema; any value is accepted"],
    );
}

#[test]
fn all_of_is_merged_where_it_is_unsupported() {
    let all = r#"{"type":"object","properties":{"a":{"allOf":[{"type":"integer","minimum":1},{"maximum":5,"minimum":2}]}}}"#;
    check(Dialect::Anthropic, all, all, &[]);
    check(
        Dialect::Groq,
        all,
        r#"{"type":"object","properties":{"a":{"type":"integer","minimum":2,"maximum":5}}}"#,
        &[],
    );
    // No provider accepts `allOf` at the root.
    check(
        Dialect::Anthropic,
        r#"{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}}}]}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}"#,
        &[],
    );
}

const EITHER: &str = r#"{"oneOf":[{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},{"type":"object","properties":{"url":{"type":"string"}},"required":["url"]}]}"#;

#[test]
fn a_union_at_the_root_is_wrapped_or_merged() {
    check(
        Dialect::Anthropic,
        EITHER,
        &format!(
            r#"{{"type":"object","properties":{{"arguments":{{"type":"object",{}}},"required":["arguments"],"additionalProperties":false}}"#,
            &EITHER[1..]
        ),
        &["the root: `oneOf` is not allowed at the root: the arguments are requested inside one property"],
    );
    let options = CompileOptions::default().with_root_union(RootUnion::Merge);
    let merged = Dialect::Anthropic.compile_with(&EITHER.parse().unwrap(), options);
    assert_eq!(
        merged.schema.as_str(),
        r#"{"type":"object","properties":{"path":{"type":"string"},"url":{"type":"string"}}}"#
    );
    assert!(!merged.has_restoration());
    // The branches differ only in the required properties: a sentence describes that, and no property is
    // wrapped.
    check(
        Dialect::OpenAi,
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"description":"anyOf: [{\"required\":[\"a\"]},{\"required\":[\"b\"]}]"}"#,
        &["the root: `anyOf` states which properties belong together, which is not sent"],
    );
}

/// Checks the arguments that are restored from those of the model.
#[track_caller]
fn check_restored(dialect: Dialect, schema: &str, sent: &str, expected: &str) {
    let schema: RawJson = schema.parse().unwrap();
    let restored = dialect.compile(&schema).restore(&Arguments::parse(sent).unwrap());
    assert_eq!(coerce(&schema, &restored).0.as_str(), expected, "{dialect}");
}

#[test]
fn coercion_reverses_the_changes_of_a_dialect() {
    check_restored(Dialect::Anthropic, EITHER, r#"{"arguments":{"path":"a"}}"#, r#"{"path":"a"}"#);
    // The value is restored from a text too, and if the model did not wrap it.
    check_restored(Dialect::Anthropic, EITHER, r#"{"arguments":"{\"path\":\"a\"}"}"#, r#"{"path":"a"}"#);
    check_restored(Dialect::Anthropic, EITHER, r#"{"path":"a"}"#, r#"{"path":"a"}"#);
    check_restored(Dialect::OpenAiStrict, PLAIN, r#"{"path":"a","line":null}"#, r#"{"path":"a"}"#);
    let map = r#"{"type":"object","properties":{"env":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["env"]}"#;
    check_restored(
        Dialect::OpenAiStrict,
        map,
        r#"{"env":"{\"A\": 12345678901234567890123}"}"#,
        r#"{"env":{"A":12345678901234567890123}}"#,
    );
    let open = r#"{"type":"object","additionalProperties":true}"#;
    check_restored(Dialect::Gemini, open, r#"{"arguments":"{\"any\":[1]}"}"#, r#"{"any":[1]}"#);
}

#[test]
fn names_of_properties_that_anthropic_refuses_are_shown_otherwise() {
    let odd = r#"{"type":"object","properties":{"$top":{"type":"integer"},"filter[id]":{"type":"string"},"":{"type":"string"}},"required":["$top"]}"#;
    let compiled = Dialect::Anthropic.compile(&odd.parse().unwrap());
    let value = compiled.schema.to_value();
    assert_eq!(schema_refusals(Dialect::Anthropic, &value), Vec::<String>::new());
    assert!(compiled.losses.is_empty());
    let names: Vec<&String> = value["properties"].as_object().unwrap().keys().collect();
    let sent: Value =
        names.iter().map(|name| ((*name).clone(), Value::from(1))).collect::<serde_json::Map<_, _>>().into();
    let restored = compiled.restore(&Arguments::parse(sent.to_string()).unwrap());
    let own: Vec<&String> = restored.as_object().keys().collect();
    assert_eq!(own, ["", "$top", "filter[id]"]);
}

#[test]
fn nonstandard_types_and_older_drafts_become_standard_json_schema() {
    check(
        Dialect::OpenAi,
        r#"{"type":"dict","properties":{"f":{"type":"float"},"t":{"type":"tuple","items":{"type":"int"}},"x":{"type":"any","description":"d"},"m":{"type":"HashMap"},"l":{"type":"integer","minimum":3,"exclusiveMinimum":true},"p":{"type":"array","items":[{"type":"str"}]},"o":{"type":"string","nullable":true,"required":true,"optional":true}}}"#,
        r#"{"type":"object","properties":{"f":{"type":"number"},"t":{"type":"array","items":{"type":"integer"}},"x":{"description":"d"},"m":{"type":"object"},"l":{"type":"integer","exclusiveMinimum":3},"p":{"type":"array","prefixItems":[{"type":"string"}],"items":{}},"o":{"type":["string","null"]}}}"#,
        &[],
    );
}

#[test]
fn a_keyword_with_a_wrong_value_is_left_out() {
    check(
        Dialect::Anthropic,
        r#"{"type":"object","properties":{"a":{"type":"strin","enum":"x","minLength":-1,"description":3}},"required":"a"}"#,
        r#"{"type":"object","properties":{"a":{}}}"#,
        &[
            "the root: `required` has an invalid value, and is not sent",
            "/properties/a: `type` names an unknown type; any value is accepted",
            "/properties/a: `enum` has an invalid value, and is not sent",
            "/properties/a: `minLength` has an invalid value, and is not sent",
            "/properties/a: `description` has an invalid value, and is not sent",
        ],
    );
}

#[test]
fn llama_cpp_gets_only_patterns_that_its_grammar_reads() {
    let sent = |pattern: &str| {
        let schema = serde_json::json!({ "properties": { "a": { "type": "string", "pattern": pattern } } });
        Dialect::LlamaCpp.compile(&RawJson::from(&schema)).schema.as_str().contains("pattern\":\"")
    };
    for pattern in ["^a+$", "^[a-z]{1,3}(x|y)?$", "^\\.x$", "^[^/]+$"] {
        assert!(sent(pattern), "{pattern}");
    }
    for pattern in [
        "a",
        "^a",
        "^\\d+$",
        "^(?=a)$",
        "^(a$",
        "^a{1,9999}$",
        "^[a$",
        "^+$",
        "^()$",
        "^a|$",
        "^ü$",
        "^a{x}$",
    ] {
        assert!(!sent(pattern), "{pattern}");
    }
}

// A tool with an invalid schema does not remove the other tools of the list.
#[test]
fn oversized_schemas_become_an_unrestricted_object() {
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let many: Vec<String> = (0..51_000).map(|at| format!("\"k{at}\":{{}}")).collect();
    let many = format!("{{\"properties\":{{{}}}}}", many.join(","));
    let long = format!("{{\"description\":\"{}\"}}", "x".repeat(1_100_000));
    for schema in ["null", "[]", "3", "\"x\"", &deep, &many, &long, r#"{"title":"\ud800"}"#] {
        for dialect in Dialect::ALL {
            let compiled = dialect.compile(&schema.parse().unwrap());
            assert_eq!(schema_refusals(dialect, &compiled.schema.to_value()), Vec::<String>::new());
            assert_eq!(compiled.losses.len(), 1, "{dialect}");
            assert_eq!(compiled.losses[0].keyword, "the schema");
        }
    }
}

// A hostile schema is compiled in bounded time to a valid schema of bounded size.
#[test]
fn hostile_schemas_compile_with_bounded_output() {
    let doubling: Vec<String> = (0..40)
        .map(|at| format!(r##""d{at}":{{"properties":{{"a":{{"$ref":"#/$defs/d{0}"}},"b":{{"$ref":"#/$defs/d{0}"}}}}}}"##, at + 1))
        .collect();
    let doubling =
        format!(r##"{{"properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##, doubling.join(","));
    let nested = format!(
        r#"{{"properties":{{"a":{}{{}}{}}}}}"#,
        r#"{"anyOf":[{"type":"string"},"#.repeat(40),
        "]}".repeat(40)
    );
    let branches: Vec<String> = (0..300).map(|at| format!(r#"{{"properties":{{"p{at}":{{}}}}}}"#)).collect();
    let wide: Vec<String> = (0..3_000).map(|at| format!(r#""p{at}":{{"type":"string"}}"#)).collect();
    let spread = format!(
        r#"{{"properties":{{"a":{{"properties":{{{}}},"anyOf":[{}]}}}}}}"#,
        wide.join(","),
        branches.join(",")
    );
    let every = format!(r#"{{"properties":{{"a":{{"allOf":[{}]}}}}}}"#, branches.join(","));
    let chain: Vec<String> =
        (0..5_000).map(|at| format!(r##""c{at}":{{"$ref":"#/$defs/c{}"}}"##, at + 1)).collect();
    let chain =
        format!(r##"{{"properties":{{"a":{{"$ref":"#/$defs/c0"}}}},"$defs":{{{}}}}}"##, chain.join(","));
    let name = "n".repeat(400_000);
    let paths = format!(r#"{{"properties":{{"{name}":{{"properties":{{{}}}}}}}}}"#, wide.join(","));
    let root = format!(r#"{{"properties":{{{}}},"anyOf":[{}]}}"#, wide.join(","), branches.join(","));
    for (what, schema) in [
        ("doubling", doubling),
        ("nested", nested),
        ("spread", spread),
        ("every", every),
        ("chain", chain),
        ("paths", paths),
        ("root", root),
    ] {
        let schema: RawJson = schema.parse().unwrap();
        for dialect in Dialect::ALL {
            for union in [RootUnion::Wrap, RootUnion::Merge] {
                let compiled =
                    dialect.compile_with(&schema, CompileOptions::default().with_root_union(union));
                assert!(compiled.schema.as_str().len() < 8_000_000, "{what} {dialect}");
                assert_eq!(
                    schema_refusals(dialect, &compiled.schema.to_value()),
                    Vec::<String>::new(),
                    "{what} {dialect}"
                );
                let told: usize = compiled.losses.iter().map(|loss| loss.to_string().len()).sum();
                assert!(told < 64_000, "{what} {dialect}: {told}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn compiled_schemas_are_legal_and_equivalent_unless_a_loss_is_reported(
        bytes in proptest::collection::vec(any::<u8>(), 0..160),
    ) {
        // The byte 0xff never begins JSON. It tells the oracle to build a schema from the remaining bytes.
        let recipe = [&[0xff], bytes.as_slice()].concat();
        schema_compile(&recipe);
    }
}

// Found by the property: a branch that closes its object closes it for the properties beside it, too.
#[test]
fn constraints_of_a_branch_on_other_properties_are_reported_as_losses() {
    let schema = r#"{"oneOf":[{"type":"string"},{"additionalProperties":false}],"properties":{"a":true}}"#;
    let compiled = Dialect::OpenAi.compile(&schema.parse().unwrap());
    let told: Vec<&str> = compiled.losses.iter().map(|loss| loss.keyword.as_str()).collect();
    assert!(told.contains(&"additionalProperties"), "{:?}", compiled.losses);
}

fn told(dialect: Dialect, schema: &str) -> (String, Vec<String>) {
    let compiled = dialect.compile(&schema.parse().unwrap());
    assert_eq!(schema_refusals(dialect, &compiled.schema.to_value()), Vec::<String>::new());
    (compiled.schema.as_str().to_owned(), compiled.losses.iter().map(ToString::to_string).collect())
}

// N5: a definition that is merged into a schema and also referenced in that schema is not a circular reference.
#[test]
fn a_definition_used_twice_is_not_a_cycle() {
    let base = r#""Base":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
    for schema in [
        r##"{"allOf":[{"$ref":"#/$defs/Base"}],"properties":{"child":{"$ref":"#/$defs/Base"},"more":{"type":"array","items":{"$ref":"#/$defs/Base"}}},"$defs":{BASE}}"##,
        r##"{"$ref":"#/$defs/Base","properties":{"child":{"$ref":"#/$defs/Base"},"more":{"type":"array","items":{"$ref":"#/$defs/Base"}}},"$defs":{BASE}}"##,
        r##"{"properties":{"p":{"allOf":[{"$ref":"#/$defs/Base"}],"properties":{"child":{"$ref":"#/$defs/Base"}}}},"$defs":{BASE}}"##,
        r##"{"properties":{"p":{"anyOf":[{"$ref":"#/$defs/Base"}],"properties":{"child":{"$ref":"#/$defs/Base"}}}},"$defs":{BASE}}"##,
        r##"{"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"$defs":{"A":{"allOf":[{"$ref":"#/$defs/Base"}]},"B":{"allOf":[{"$ref":"#/$defs/Base"}]},BASE}}"##,
    ] {
        let (sent, lost) = told(Dialect::Gemini, &schema.replace("BASE", base));
        assert!(!sent.contains("written as text"), "{sent}");
        assert!(lost.iter().all(|loss| !loss.contains("leads back")), "{lost:?}");
    }
}

#[test]
fn a_circle_of_definitions_is_still_cut() {
    for schema in [
        r##"{"properties":{"tree":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"object","properties":{"next":{"$ref":"#/$defs/T"}}}}}"##,
        r##"{"properties":{"tree":{"allOf":[{"$ref":"#/$defs/T"}]}},"$defs":{"T":{"type":"object","properties":{"next":{"allOf":[{"$ref":"#/$defs/U"}]}}},"U":{"anyOf":[{"$ref":"#/$defs/T"}]}}}"##,
        r##"{"type":"object","properties":{"next":{"$ref":"#"}}}"##,
        r##"{"type":"object","properties":{"a":{"type":"object","properties":{"next":{"$ref":"#/properties/a"}}}}}"##,
    ] {
        let (sent, lost) = told(Dialect::Gemini, schema);
        assert!(sent.len() < 2_000, "{} bytes", sent.len());
        assert!(lost.iter().any(|loss| loss.contains("leads back to itself")), "{lost:?}");
    }
}

// "enum[0]: cannot be empty" refuses the whole request.
#[test]
fn gemini_gets_no_empty_text_among_values() {
    let (sent, lost) = told(
        Dialect::Gemini,
        r#"{"type":"object","properties":{"mode":{"type":"string","enum":["","fast"]}}}"#,
    );
    assert!(sent.contains(r#""enum":["fast"]"#), "{sent}");
    assert!(lost.iter().any(|loss| loss.contains("empty text")), "{lost:?}");
    let (sent, _) =
        told(Dialect::Gemini, r#"{"type":"object","properties":{"mode":{"type":"string","const":""}}}"#);
    assert!(!sent.contains(r#""enum":[""]"#) && !sent.contains(r#""enum":[]"#), "{sent}");
}

#[test]
fn a_closed_tuple_keeps_its_item_type() {
    let schema = r#"{"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}],"items":false}}}"#;
    for dialect in [Dialect::OpenAiStrict, Dialect::Gemini] {
        let (sent, lost) = told(dialect, schema);
        assert!(sent.contains(r#""items":{"type":"number"}"#), "{sent}");
        assert!(lost.iter().all(|loss| !loss.contains("any value is accepted")), "{lost:?}");
    }
}
