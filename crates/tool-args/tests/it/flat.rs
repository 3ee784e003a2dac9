//! Flattened structs, as fields and as parameters of a tool.

use expect_test::{Expect, expect};
use windlass_protocol::Arguments;
use windlass_tool_args::{PartialReader, ToolArgs, tool};

use crate::call::{call, schema};

/// Where to look.
#[derive(Debug, PartialEq, ToolArgs)]
struct Place {
    /// The folder.
    folder: String,
    #[serde(default, alias = "level")]
    depth: u8,
}

#[derive(Debug, PartialEq, ToolArgs)]
#[serde(rename_all = "camelCase")]
struct Page {
    page_size: Option<u32>,
    #[serde(flatten)]
    order: Order,
}

#[derive(Debug, PartialEq, ToolArgs)]
struct Order {
    by: Vec<String>,
}

/// Searches.
#[derive(Debug, PartialEq, ToolArgs)]
struct Search {
    pattern: String,
    #[serde(flatten)]
    place: Place,
    #[serde(flatten)]
    page: Page,
    exact: Option<bool>,
}

#[derive(Debug, PartialEq, ToolArgs)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[serde(flatten)]
    place: Place,
}

fn parse(text: &str) -> Search {
    Search::parse(&Arguments::parse(text).unwrap()).unwrap()
}

const WHOLE: &str =
    r#"{"by": ["name", "size"], "pattern": "fn", "level": 2, "folder": "src", "exact": true, "pageSize": 7}"#;

#[test]
fn members_of_a_flattened_struct_are_members_of_the_arguments() {
    expect![[r#"{"type":"object","description":"Searches.","properties":{"pattern":{"type":"string"},"folder":{"type":"string","description":"The folder."},"depth":{"type":"integer","default":0,"maximum":255,"minimum":0},"pageSize":{"type":["integer","null"],"minimum":0},"by":{"type":"array","items":{"type":"string"}},"exact":{"type":["boolean","null"]}},"required":["pattern","folder","by"]}"#]]
        .assert_eq(Search::schema().as_str());
    assert_eq!(Search::member_names(), ["pattern", "folder", "depth", "pageSize", "by", "exact"]);
}

#[test]
fn a_flattened_struct_grows_with_its_members() {
    let mut reader = PartialReader::<Search>::default();
    reader.push(r#"{"by": ["name", "si"#);
    let by = |reader: &PartialReader<Search>| {
        let order = reader.partial().page.growing().unwrap().order.growing().unwrap();
        order.by.growing().unwrap().iter().map(|one| one.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(by(&reader), ["name", "si"]);
    assert!(reader.partial().place.is_missing());
    reader.push(r#"ze"], "folder": "sr"#);
    assert_eq!(reader.partial().place.growing().unwrap().folder.as_str(), "sr");
}

// The description of a flattened struct describes a part of the properties only.
#[test]
fn a_description_of_a_flattened_struct_is_not_that_of_the_arguments() {
    assert!(!Strict::schema().as_str().contains("Where to look."));
    assert!(Place::schema().as_str().contains("Where to look."));
}

// Each cut of the text ends in the value of the strict parse.
#[test]
fn every_cut_ends_in_the_strict_value() {
    let strict = parse(WHOLE);
    for cut in 0..=WHOLE.len() {
        let mut reader = PartialReader::<Search>::default();
        reader.push(&WHOLE[..cut]);
        reader.push(&WHOLE[cut..]);
        let partial = reader.partial();
        assert_eq!(partial.pattern.complete(), Some(&strict.pattern));
        assert_eq!(partial.place.complete(), Some(&strict.place));
        assert_eq!(partial.page.complete(), Some(&strict.page));
        assert_eq!(partial.exact.complete(), Some(&strict.exact));
        assert!(reader.mismatches().is_empty());
    }
}

#[test]
fn a_flattened_struct_inside_a_list_is_read_as_well() {
    #[derive(Debug, PartialEq, ToolArgs)]
    struct List {
        items: Vec<Strict>,
    }
    let text = r#"{"items": [{"folder": "a"}, {"depth": 1, "folder": "b"}]}"#;
    let mut reader = PartialReader::<List>::default();
    for letter in text.chars() {
        reader.push(letter.encode_utf8(&mut [0; 4]));
    }
    let strict = List::parse(&Arguments::parse(text).unwrap()).unwrap();
    assert_eq!(reader.partial().items.complete(), Some(&strict.items));
}

#[test]
fn what_does_not_fit_is_named_with_its_place() {
    #[track_caller]
    fn check<T: ToolArgs>(text: &str, expected: &Expect) {
        let mut reader = PartialReader::<T>::default();
        reader.push(text);
        let words: Vec<_> = reader.mismatches().iter().map(ToString::to_string).collect();
        let strict = T::parse(&Arguments::parse(text).unwrap()).unwrap_err();
        expected.assert_eq(&format!("{}\n{strict}", words.join("\n")));
    }
    check::<Search>(
        r#"{"pattern": "a", "by": []}"#,
        &expect![[r"
        the arguments: found no `folder`, expected the required `folder`
        missing field `folder`"]],
    );
    check::<Search>(
        r#"{"pattern": "a", "folder": 1, "by": []}"#,
        &expect![[r"
        /folder: found a number, expected a string
        /folder: found a number, expected a string"]],
    );
    check::<Strict>(
        r#"{"folder": "a", "more": 1}"#,
        &expect![[r"
        the arguments: found an unknown one, expected only the properties of the schema
        unknown field `more`"]],
    );
}

/// Searches below a place.
#[tool]
fn search(#[serde(flatten)] search: Search) -> String {
    format!("{search:?}")
}

/// Lists names.
#[tool(rename_all = "camelCase")]
fn list_names(
    first_name: String,
    #[serde(flatten)] Place { folder, depth }: Place,
    #[schemars(range(max = 9), example = 3)]
    #[serde(default = "most")]
    most_names: u8,
) -> String {
    format!("{first_name} {folder} {depth} {most_names}")
}

fn most() -> u8 {
    5
}

// The struct and the tool have the same name: one is a type, and the other a value.
#[tokio::test]
async fn one_flattened_struct_is_all_arguments() {
    assert_eq!(schema(&Search), Search::schema().as_str());
    assert_eq!(call(&Search, WHOLE).await, format!("Ok: {:?}", parse(WHOLE)));
    let unfit = r#"{"pattern": "a", "folder": "b", "by": ["c", 1]}"#;
    let expected = "the arguments do not fit this tool: /by/1: found a number, expected a string";
    assert_eq!(call(&Search, unfit).await, expected);
}

#[tokio::test]
async fn a_flattened_parameter_is_merged_with_others() {
    expect![[r#"{"type":"object","properties":{"firstName":{"type":"string"},"folder":{"type":"string","description":"The folder."},"depth":{"type":"integer","default":0,"maximum":255,"minimum":0},"mostNames":{"type":"integer","default":5,"examples":[3],"maximum":9,"minimum":0}},"required":["firstName","folder"],"additionalProperties":false}"#]].assert_eq(&schema(&ListNames));
    let text = r#"{"folder": "src", "firstName": "a", "depth": 1}"#;
    assert_eq!(call(&ListNames, text).await, "Ok: a src 1 5");
    expect!["the arguments do not fit this tool: unknown field `more`"]
        .assert_eq(&call(&ListNames, r#"{"folder": "src", "firstName": "a", "more": 1}"#).await);
}
