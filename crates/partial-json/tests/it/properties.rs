//! The properties of the test kit, over generated texts and every prefix of real ones.

use proptest::prelude::*;
use windlass_testkit::{oracle, workload};

/// Texts that are nearly JSON: tokens, right and wrong, in any order.
fn tokens() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "\"a\"",
        "\"\"",
        "\"b\\n\"",
        "\"",
        "\\",
        "\\u00e9",
        "\\ud83d",
        "\\ude00",
        "\\u",
        "\\x",
        "true",
        "false",
        "null",
        "tru",
        "0",
        "-",
        "12",
        "1.5",
        "1e5",
        "1e999",
        ".",
        "e",
        "é",
        "😀",
        "\u{1}",
        "{\"a\":",
        "{\"b\": [",
        "\"k\": ",
        "[[",
        "x",
        "'a'",
        "'",
        "```",
    ]);
    prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat())
}

/// Texts that are JSON.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f64>()
            .prop_filter("JSON has no infinities", |value| value.is_finite())
            .prop_map(|value| value.to_string()),
        any::<String>().prop_map(|value| serde_json::Value::from(value).to_string()),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|values| format!("[{}]", values.join(" ,"))),
            prop::collection::vec(("[ab~/\\PC]{0,2}", inner), 0..20).prop_map(|members| {
                let member = |(key, value)| format!("{}: {value}", serde_json::Value::String(key));
                format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

#[track_caller]
fn check(text: &[u8]) {
    oracle::partial_json_oracle(text);
    oracle::partial_json_split(text);
    oracle::partial_json_snapshot(text);
    oracle::partial_json_repair(text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_properties_hold_for_tokens(text in tokens()) {
        check(text.as_bytes());
    }

    #[test]
    fn the_properties_hold_for_json(text in json()) {
        check(text.as_bytes());
        prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }

    #[test]
    fn the_properties_hold_for_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        check(&bytes);
    }
}

#[test]
fn the_properties_hold_for_the_workloads() {
    for text in [workload::w1(3_000), workload::w1u(3_000), workload::w1p(3_000), workload::w3()] {
        check(text.as_bytes());
        for end in (0..text.len()).step_by(97) {
            oracle::partial_json_oracle(&text.as_bytes()[..end]);
        }
    }
    oracle::partial_json_oracle(workload::w2().as_bytes());
    oracle::partial_json_snapshot(workload::w2().as_bytes());
}
