//! Every cut of generated texts: monotone, the same whatever the cut, and at the end the strict parse.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use windlass_protocol::Arguments;
use windlass_tool_args::{Partial, PartialReader, PartialValue, ToolArgs};

use crate::shapes::{PartialRange, PartialSearch, Range, Search, Tree};

/// A text never shrinks or changes, and a complete value stays (RULES J3).
fn text(before: &Partial<String>, after: &Partial<String>) -> bool {
    after.as_str().starts_with(before.as_str())
        && (before.is_missing() || !after.is_missing())
        && (!before.is_complete() || (after.is_complete() && before.as_str() == after.as_str()))
}

fn whole<T: PartialValue + PartialEq>(before: &Partial<T>, after: &Partial<T>) -> bool {
    before.complete().is_none_or(|before| after.complete() == Some(before))
}

fn list<T: PartialValue + PartialEq>(
    before: &Partial<Vec<T>>,
    after: &Partial<Vec<T>>,
    part: fn(&Partial<T>, &Partial<T>) -> bool,
) -> bool {
    let Some(growing) = before.growing() else { return whole(before, after) };
    let same = |(before, after): (&Partial<T>, &Partial<T>)| part(before, after);
    match after {
        Partial::Missing => false,
        Partial::Growing(later) => later.len() >= growing.len() && growing.iter().zip(later.iter()).all(same),
        Partial::Complete(values) => {
            let settled = growing.iter().filter_map(Partial::complete);
            values.len() >= growing.len() && settled.zip(values).all(|(before, after)| before == after)
        }
    }
}

fn range(before: &Partial<Range>, after: &Partial<Range>) -> bool {
    let fields = |before: &PartialRange, after: &PartialRange| {
        whole(&before.from, &after.from) && whole(&before.to, &after.to)
    };
    match (before, after) {
        (Partial::Growing(before), Partial::Growing(after)) => fields(before, after),
        (Partial::Growing(before), Partial::Complete(after)) => {
            before.from.complete().is_none_or(|from| *from == after.from)
                && before.to.complete().is_none_or(|to| *to == after.to)
        }
        (Partial::Growing(_), Partial::Missing) => false,
        (before, after) => whole(before, after),
    }
}

/// The value of a text inside an `Option`, which cannot be shown with `as_str`.
fn optional(before: &Partial<Option<String>>, after: &Partial<Option<String>>) -> bool {
    let shown = |partial: &Partial<Option<String>>| match partial {
        Partial::Missing => None,
        Partial::Growing(text) => Some(text.clone()),
        Partial::Complete(text) => text.clone(),
    };
    whole(before, after)
        && match (shown(before), shown(after)) {
            (Some(before), Some(after)) => after.starts_with(&before),
            (Some(_), None) => false,
            (None, _) => true,
        }
}

fn search(before: &PartialSearch, after: &PartialSearch) -> bool {
    text(&before.look_for, &after.look_for)
        && list(&before.in_paths, &after.in_paths, text)
        && whole(&before.max_results, &after.max_results)
        && optional(&before.odd, &after.odd)
        && whole(&before.mode, &after.mode)
        && before.ranges.complete().is_none_or(|before| after.ranges.complete() == Some(before))
        && before.ranges.growing().zip(after.ranges.growing()).is_none_or(|(before, after)| {
            before.len() <= after.len() && before.iter().zip(after.iter()).all(|(b, a)| range(b, a))
        })
        && whole(&before.main, &after.main)
        && whole(&before.labels, &after.labels)
        && before.labels.growing().zip(after.labels.growing()).is_none_or(|(before, after)| {
            before.iter().zip(after.iter()).all(|(b, a)| b.0 == a.0 && text(b.1, a.1))
        })
        && whole(&before.ratio, &after.ratio)
        && whole(&before.exact, &after.exact)
        && whole(&before.extra, &after.extra)
}

/// The whole value that the strict parse gives, shown as the partial shows it.
fn same_as_strict(partial: &PartialSearch, strict: &Search) -> bool {
    partial.look_for.complete() == Some(&strict.look_for)
        && partial.in_paths.complete() == Some(&strict.in_paths)
        && partial.max_results.complete() == Some(&strict.max_results)
        && partial.odd.complete() == Some(&strict.odd)
        && partial.mode.complete().map(|mode| mode.0) == Some(strict.mode)
        && partial.ranges.complete() == Some(&strict.ranges)
        && partial.main.complete() == Some(&strict.main)
        && partial.labels.complete() == Some(&strict.labels)
        && partial.counts.complete() == Some(&strict.counts)
        && partial.ratio.complete() == Some(&strict.ratio)
        && partial.exact.complete() == Some(&strict.exact)
        && partial.extra.complete() == Some(&strict.extra)
}

/// Any value, mostly of the right type for nothing.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(|number: f64| json!(number)),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c~/]{1,3}", inner, 0..4)
                .prop_map(|map| Value::Object(Map::from_iter(map))),
        ]
    })
}

fn good_range() -> impl Strategy<Value = Value> {
    (any::<u32>(), prop::option::of(any::<u32>())).prop_map(|(from, to)| match to {
        Some(to) => json!({"to": to, "from": from}),
        None => json!({"from": from}),
    })
}

/// Members that fit, each there or not, in any order.
fn good_members() -> impl Strategy<Value = Vec<(String, Value)>> {
    let member = |name: &'static str, value: BoxedStrategy<Value>| {
        prop::option::of(value.prop_map(move |value| (name.to_owned(), value)))
    };
    let texts = prop::collection::vec("\\PC{0,8}", 0..4);
    let labels = prop::collection::btree_map("[a-d~/]{1,3}", "\\PC{0,5}", 0..4);
    let members = (
        "\\PC{0,20}".prop_map(|text| Some(("lookFor".to_owned(), Value::from(text)))),
        member("inPaths", texts.prop_map(Value::from).boxed()),
        member("maxResults", prop_oneof![Just(Value::Null), any::<u64>().prop_map(Value::from)].boxed()),
        member("a/b~c", "\\PC{0,8}".prop_map(Value::from).boxed()),
        member("mode", prop_oneof![Just(json!("files")), Just(json!("lines")), Just(json!(null))].boxed()),
        member("ranges", prop::collection::vec(good_range(), 0..4).prop_map(Value::from).boxed()),
        member("main", good_range().boxed()),
        member("labels", labels.prop_map(|map| json!(map)).boxed()),
        member("ratio", (-1e9..1e9).prop_map(|number: f64| json!(number)).boxed()),
        member("exact", any::<bool>().prop_map(Value::from).boxed()),
        member("extra", any_value().boxed()),
        member("unknown", any_value().boxed()),
    );
    members
        .prop_map(|(a, b, c, d, e, f, g, h, i, j, k, l)| {
            [a, b, c, d, e, f, g, h, i, j, k, l].into_iter().flatten().collect::<Vec<_>>()
        })
        .prop_shuffle()
}

/// Members under known names with values of any type.
fn any_members() -> impl Strategy<Value = Vec<(String, Value)>> {
    let names = prop::sample::select(vec![
        "lookFor",
        "inPaths",
        "maxResults",
        "a/b~c",
        "mode",
        "ranges",
        "main",
        "labels",
        "counts",
        "ratio",
        "exact",
        "extra",
        "other",
    ]);
    prop::collection::vec((names.prop_map(str::to_owned), any_value()), 0..8)
}

fn text_of(members: &[(String, Value)]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
    format!("{{{}}}", members.join(", "))
}

/// Pushes the text character by character, which is every prefix that ends at a character.
fn each_prefix(text: &str, mut seen: impl FnMut(&PartialSearch, &PartialSearch)) -> PartialReader<Search> {
    let mut before = PartialReader::<Search>::default();
    let mut after = PartialReader::<Search>::default();
    for character in text.chars() {
        let piece = character.to_string();
        after.push(&piece);
        seen(before.partial(), after.partial());
        before.push(&piece);
    }
    after
}

proptest! {
    // J2, J3, J6: wherever the text is cut, a partial value only grows, and the last one equals the strictly parsed
    // value.
    #[test]
    fn good_arguments_only_grow_and_end_as_the_strict_parse(members in good_members()) {
        let text = text_of(&members);
        let mut monotone = true;
        let reader = each_prefix(&text, |before, after| monotone &= search(before, after));
        prop_assert!(monotone, "{text}");
        let strict = Search::parse(&Arguments::parse(text.as_str()).unwrap());
        let strict = strict.unwrap();
        prop_assert!(same_as_strict(reader.partial(), &strict), "{text}\n{:?}\n{strict:?}", reader.partial());
        prop_assert_eq!(reader.mismatches(), &[]);
    }

    // J3: a member that does not fit affects no other member, and a shown value is never removed.
    #[test]
    fn partial_arguments_grow_monotonically_and_report_mismatches(members in any_members()) {
        let mut seen = std::collections::BTreeSet::new();
        let members: Vec<_> = members.into_iter().filter(|(name, _)| seen.insert(name.clone())).collect();
        let text = text_of(&members);
        let mut monotone = true;
        let reader = each_prefix(&text, |before, after| monotone &= search(before, after));
        prop_assert!(monotone, "{text}");
        match Search::parse(&Arguments::parse(text.as_str()).unwrap()) {
            Ok(strict) => {
                // A struct is an object here; serde takes an array for one too, the schema does not.
                let as_array = reader.mismatches().iter().any(|mismatch| mismatch.wanted == "an object");
                prop_assert!(as_array || same_as_strict(reader.partial(), &strict), "{text}");
            }
            Err(error) => prop_assert!(!reader.mismatches().is_empty(), "{text}: {error}"),
        }
    }

    // S14: the result does not depend on where the text is cut.
    #[test]
    fn any_cut_gives_the_same(members in any_members(), at in any::<prop::sample::Index>()) {
        // A `HashMap` is shown in another order each time.
        let members: Vec<_> = members.into_iter().filter(|(name, _)| name != "counts").collect();
        let text = text_of(&members);
        let characters: Vec<char> = text.chars().collect();
        let (left, right) = characters.split_at(at.index(characters.len()));
        let mut cut = PartialReader::<Search>::default();
        cut.push(&left.iter().collect::<String>());
        cut.push(&right.iter().collect::<String>());
        let mut whole = PartialReader::<Search>::default();
        whole.push(&text);
        prop_assert_eq!(format!("{:?}", cut.partial()), format!("{:?}", whole.partial()));
        prop_assert_eq!(cut.mismatches(), whole.mismatches());
    }

    // J7: a recursive type of any nesting ends as its strictly parsed value.
    #[test]
    fn a_tree_ends_as_the_strict_parse(depths in prop::collection::vec(0_u8..3, 0..40)) {
        let mut tree = json!({"type": "leaf"});
        for depth in depths {
            tree = match depth {
                0 => json!({"type": "a", "children": [{"type": "b"}, tree]}),
                1 => json!({"next": tree, "type": "c"}),
                _ => json!({"type": "d", "next": null, "children": [tree]}),
            };
        }
        let text = tree.to_string();
        let mut reader = PartialReader::<Tree>::default();
        for character in text.chars() {
            reader.push(&character.to_string());
        }
        let strict = Tree::parse(&Arguments::parse(text).unwrap()).unwrap();
        prop_assert_eq!(reader.partial().r#type.complete(), Some(&strict.r#type));
        prop_assert_eq!(reader.partial().children.complete(), Some(&strict.children));
        prop_assert_eq!(reader.partial().next.complete(), Some(&strict.next));
    }
}
