//! Values of any type that follow a parser.

use std::collections::BTreeMap;

use proptest::prelude::*;
use windlass_partial_json::Parser;
use windlass_tool_args::{Partial, ToolArgs, ValuePartial};

#[derive(Clone, Debug, PartialEq, ToolArgs)]
struct City {
    name: String,
    people: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, ToolArgs)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Found {
    City { name: String },
    Nothing { reason: String },
}

fn follow<T: windlass_tool_args::PartialValue>(
    mut value: ValuePartial<T>,
    pieces: &[&str],
) -> ValuePartial<T> {
    let mut parser = Parser::new();
    for piece in pieces {
        parser.push(piece).unwrap();
        value.update(parser.snapshot());
    }
    value
}

#[test]
fn a_plain_value_a_struct_a_list_a_map_and_a_union_grow() {
    let text = follow(ValuePartial::<String>::default(), &["\"Kyo", "to"]);
    assert_eq!(text.value().as_str(), "Kyoto");
    assert!(follow(ValuePartial::<bool>::default(), &["tr", "ue "]).value().is_complete());
    assert_eq!(follow(ValuePartial::<u8>::default(), &["1", "2 "]).value().complete(), Some(&12));
    let city = follow(ValuePartial::<City>::default(), &[r#"{"name": "Ky"#, "ot"]);
    assert_eq!(city.value().growing().unwrap().name.as_str(), "Kyot");
    let cities = follow(ValuePartial::<Vec<City>>::default(), &[r#"[{"name": "Kyoto"}, {"na"#]);
    assert!(cities.value().growing().unwrap()[0].is_complete());
    let map = follow(ValuePartial::<BTreeMap<String, u8>>::default(), &[r#"{"a": 1, "#, r#""b": 2}"#]);
    assert_eq!(map.value().complete().unwrap()["b"], 2);
    let found = follow(ValuePartial::<Found>::default(), &[r#"{"kind": "city", "#, r#""name": "Kyoto"}"#]);
    assert_eq!(found.value().complete(), Some(&Found::City { name: "Kyoto".into() }));
}

#[test]
fn a_value_is_a_member_of_an_object_or_the_text_itself() {
    let wrapped = |pieces| follow(ValuePartial::<Vec<u8>>::in_member("answer"), pieces);
    assert_eq!(
        wrapped(&[r#"{"other": {"answer": [9]}, "answer": [1, "#, "2]}"]).value().complete(),
        Some(&vec![1, 2])
    );
    assert_eq!(wrapped(&["[1,", "2]"]).value().complete(), Some(&vec![1, 2]));
    assert!(wrapped(&[r#"{"other": [1]}"#]).value().is_missing());
    let text = follow(ValuePartial::<String>::in_member("answer"), &[r#"{"answer": "To"#]);
    assert!(matches!(text.value(), Partial::Growing(text) if text == "To"));
}

#[test]
fn values_of_a_wrong_type_are_reported() {
    let number = follow(ValuePartial::<u8>::in_member("answer"), &[r#"{"answer": "many"}"#]);
    assert!(number.value().is_missing());
    assert_eq!(number.mismatches()[0].path, "/answer");
    let list = follow(ValuePartial::<Vec<u8>>::default(), &["[1, true, 3]"]);
    assert!(!list.value().is_complete());
    assert_eq!(list.mismatches()[0].path, "/1");
}

proptest! {
    // A value does not depend on the places where its text was split, or on when it was updated.
    #[test]
    fn splits_do_not_change_a_value(cuts in proptest::collection::vec(0_usize..40, 0..8)) {
        let text = r#"{"answer": [{"name": "Kyoto", "people": 14}, {"name": "\u00e9"}]}"#;
        let mut places: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let pieces: Vec<&str> = places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let value = follow(ValuePartial::<Vec<City>>::in_member("answer"), &pieces);
        let expected = vec![
            City { name: "Kyoto".into(), people: Some(14) },
            City { name: "é".into(), people: None },
        ];
        prop_assert_eq!(value.value().complete(), Some(&expected));
    }
}
