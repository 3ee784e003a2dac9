//! Enums, nested structs, defaults, renamed members and examples as arguments, without serde and schemars in scope.

use expect_test::{Expect, expect};
use windlass_protocol::{Arguments, ToolSpec};
use windlass_tool_args::{GrowingArguments, PartialReader, Progress, ProgressSink, Tool, ToolArgs, tool};

use crate::call::{call, schema, spec};

/// The order.
#[derive(Clone, Debug, PartialEq, ToolArgs)]
#[serde(rename_all = "kebab-case")]
enum Sort {
    /// The newest
    /// first.
    NewestFirst,
    /// By name.
    #[serde(alias = "alphabetical")]
    ByName,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ToolArgs)]
enum Unit {
    #[default]
    Lines,
    Bytes,
}

/// A figure.
#[derive(Clone, Debug, PartialEq, ToolArgs)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    /// A circle.
    Circle {
        /// The radius in
        /// metres.
        radius: f64,
    },
    Group {
        shapes: Vec<Self>,
    },
    Point,
}

#[derive(Clone, Debug, PartialEq, ToolArgs)]
#[serde(untagged)]
enum Id {
    Number(u64),
    Name(String),
}

#[derive(Clone, Debug, PartialEq, ToolArgs)]
enum Step {
    Wait(u32),
    Say { text: String },
    Stop,
}

/// Arranges.
#[derive(Debug, PartialEq, ToolArgs)]
struct Arrange {
    sort: Option<Sort>,
    #[serde(default)]
    unit: Unit,
    shapes: Vec<Shape>,
    id: Id,
    steps: Vec<Step>,
    #[schemars(example = "src/lib.rs", length(min = 1))]
    path: String,
}

const WHOLE: &str = r#"{"sort": "alphabetical", "shapes": [{"kind": "circle", "radius": 1.5},
    {"kind": "group", "shapes": [{"kind": "point"}]}], "id": "x", "steps": [{"Wait": 3}, {"Say": {"text": "a"}}, "Stop"],
    "path": "p"}"#;

#[test]
fn variants_and_their_comments_are_in_the_schema() {
    expect![[r##"{"type":"object","description":"Arranges.","properties":{"sort":{"anyOf":[{"description":"The order.","oneOf":[{"type":"string","description":"The newest first.","const":"newest-first"},{"type":"string","description":"By name.","const":"by-name"}]},{"type":"null"}]},"unit":{"type":"string","enum":["Lines","Bytes"]},"shapes":{"type":"array","items":{"description":"A figure.","oneOf":[{"type":"object","description":"A circle.","properties":{"kind":{"type":"string","const":"circle"},"radius":{"type":"number","description":"The radius in metres."}},"required":["kind","radius"]},{"type":"object","properties":{"kind":{"type":"string","const":"group"},"shapes":{"type":"array","items":{"$ref":"#/$defs/Shape"}}},"required":["kind","shapes"]},{"type":"object","properties":{"kind":{"type":"string","const":"point"}},"required":["kind"]}]}},"id":{"anyOf":[{"type":"integer","minimum":0},{"type":"string"}]},"steps":{"type":"array","items":{"oneOf":[{"type":"string","enum":["Stop"]},{"type":"object","properties":{"Wait":{"type":"integer","minimum":0}},"required":["Wait"],"additionalProperties":false},{"type":"object","properties":{"Say":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},"required":["Say"],"additionalProperties":false}]}},"path":{"type":"string","examples":["src/lib.rs"],"minLength":1}},"required":["shapes","id","steps","path"],"$defs":{"Shape":{"description":"A figure.","oneOf":[{"type":"object","description":"A circle.","properties":{"kind":{"type":"string","const":"circle"},"radius":{"type":"number","description":"The radius in metres."}},"required":["kind","radius"]},{"type":"object","properties":{"kind":{"type":"string","const":"group"},"shapes":{"type":"array","items":{"$ref":"#/$defs/Shape"}}},"required":["kind","shapes"]},{"type":"object","properties":{"kind":{"type":"string","const":"point"}},"required":["kind"]}]}}}"##]].assert_eq(Arrange::schema().as_str());
}

#[test]
fn every_cut_ends_in_the_strict_value() {
    let strict = Arrange::parse(&Arguments::parse(WHOLE).unwrap()).unwrap();
    assert_eq!(strict.sort, Some(Sort::ByName));
    assert_eq!(strict.shapes[1], Shape::Group { shapes: vec![Shape::Point] });
    assert_eq!(strict.steps, [Step::Wait(3), Step::Say { text: "a".into() }, Step::Stop]);
    for cut in 0..=WHOLE.len() {
        let mut reader = PartialReader::<Arrange>::default();
        reader.push(&WHOLE[..cut]);
        reader.push(&WHOLE[cut..]);
        let partial = reader.partial();
        assert_eq!(partial.sort.complete(), Some(&strict.sort));
        assert_eq!(partial.unit.complete(), Some(&strict.unit));
        assert_eq!(partial.shapes.complete(), Some(&strict.shapes));
        assert_eq!(partial.id.complete(), Some(&strict.id));
        assert_eq!(partial.steps.complete(), Some(&strict.steps));
        assert!(reader.mismatches().is_empty());
    }
}

#[test]
fn a_variant_is_shown_when_it_is_complete() {
    let mut reader = PartialReader::<Arrange>::default();
    assert!(reader.push(r#"{"sort": "by-na"#).sort.is_missing());
    assert_eq!(reader.push(r#"me""#).sort.complete(), Some(&Some(Sort::ByName)));
    reader.push(r#", "steps": ["Run"]"#);
    expect!["/steps/0: found `Run`, expected one of Wait, Say, Stop"]
        .assert_eq(&reader.mismatches()[0].to_string());
}

/// Draws.
#[tool(internal)]
fn draw(
    /// The figure to draw.
    shape: Shape,
    #[serde(default)] unit: Unit,
    sort: Option<Sort>,
) -> String {
    format!("{shape:?} {unit:?} {sort:?}")
}

#[tokio::test]
async fn an_enum_is_a_parameter() {
    expect![[r##"
        draw
        Draws.
        {"type":"object","properties":{"shape":{"description":"The figure to draw.","oneOf":[{"type":"object","description":"A circle.","properties":{"kind":{"type":"string","const":"circle"},"radius":{"type":"number","description":"The radius in metres."}},"required":["kind","radius"]},{"type":"object","properties":{"kind":{"type":"string","const":"group"},"shapes":{"type":"array","items":{"$ref":"#/$defs/Shape"}}},"required":["kind","shapes"]},{"type":"object","properties":{"kind":{"type":"string","const":"point"}},"required":["kind"]}]},"unit":{"type":"string","enum":["Lines","Bytes"]},"sort":{"anyOf":[{"description":"The order.","oneOf":[{"type":"string","description":"The newest first.","const":"newest-first"},{"type":"string","description":"By name.","const":"by-name"}]},{"type":"null"}]}},"required":["shape"],"additionalProperties":false,"$defs":{"Shape":{"description":"A figure.","oneOf":[{"type":"object","description":"A circle.","properties":{"kind":{"type":"string","const":"circle"},"radius":{"type":"number","description":"The radius in metres."}},"required":["kind","radius"]},{"type":"object","properties":{"kind":{"type":"string","const":"group"},"shapes":{"type":"array","items":{"$ref":"#/$defs/Shape"}}},"required":["kind","shapes"]},{"type":"object","properties":{"kind":{"type":"string","const":"point"}},"required":["kind"]}]}}}"##]].assert_eq(&spec(&Draw));
    assert_eq!(
        call(&Draw, r#"{"shape": {"kind": "circle", "radius": 2}, "sort": "newest-first"}"#).await,
        "Ok: Circle { radius: 2.0 } Lines Some(NewestFirst)"
    );
    let check = async |arguments: &str, expected: Expect| expected.assert_eq(&call(&Draw, arguments).await);
    check(
        r#"{"shape": {"kind": "point"}, "unit": "Words"}"#,
        expect![
            "the arguments do not fit this tool: /unit: unknown variant `Words`, expected `Lines` or `Bytes`"
        ],
    )
    .await;
    check(r#"{"shape": {"kind": "square"}}"#, expect!["the arguments do not fit this tool: /shape/kind: unknown variant `square`, expected one of `circle`, `group`, `point`"]).await;
}

/// Writes a file.
#[tool(arguments = WriteFileArguments, on_partial = show_file, rename_all = "camelCase")]
async fn write_file(
    /// The file.
    file_path: String,
    content: String,
    #[tool_args(whole)] age: Option<std::time::Duration>,
    #[serde(default)] unit: Unit,
) -> usize {
    let _ = (file_path, age, unit);
    content.len()
}

fn show_file(show: &mut ProgressSink<'_>, partial: &PartialWriteFileArguments) {
    show.tell(Progress::Note(format!("{}: {}", partial.file_path.as_str(), partial.content.as_str().len())));
}

#[tokio::test]
async fn the_arguments_of_a_function_have_a_name_and_a_partial() {
    assert_eq!(schema(&WriteFile), WriteFileArguments::schema().as_str());
    expect![[r#"{"type":"object","properties":{"filePath":{"type":"string","description":"The file."},"content":{"type":"string"},"age":{"type":["object","null"],"properties":{"secs":{"type":"integer","minimum":0},"nanos":{"type":"integer","minimum":0}},"required":["secs","nanos"]},"unit":{"type":"string","enum":["Lines","Bytes"]}},"required":["filePath","content"],"additionalProperties":false}"#]].assert_eq(WriteFileArguments::schema().as_str());
    let text = r#"{"filePath": "a.rs", "content": "four"}"#;
    assert_eq!(call(&WriteFile, text).await, "Ok: 4");
    let arguments = WriteFileArguments::parse(&Arguments::parse(text).unwrap()).unwrap();
    assert_eq!((arguments.file_path.as_str(), arguments.unit), ("a.rs", Unit::Lines));
    expect!["the arguments do not fit this tool: /more: unknown field `more`, expected one of `filePath`, `content`, `age`, `unit`"].assert_eq(&call(&WriteFile, r#"{"filePath": "a", "content": "", "more": 1}"#).await);

    let is_eager = |spec: &ToolSpec| matches!(spec, ToolSpec::Function { eager_arguments: true, .. });
    assert!(is_eager(WriteFile.spec()), "its arguments are shown while they stream");

    let mut shown = Vec::new();
    let mut growing = GrowingArguments::default();
    for delta in [r#"{"filePath": "a.rs", "con"#, r#"tent": "fo"#, "ur"] {
        growing.push(delta);
        WriteFile.on_partial(&mut ProgressSink::new(&mut |progress| shown.push(progress)), &mut growing);
    }
    let notes = ["a.rs: 0", "a.rs: 2", "a.rs: 4"].map(|note| Progress::Note(note.into()));
    assert_eq!(shown, notes);
}

/// A level of detail, which is also a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, windlass_tool_args::serde::Serialize, ToolArgs)]
#[serde(crate = "windlass_tool_args::serde")]
#[serde(rename_all = "lowercase")]
enum Detail {
    #[default]
    Short,
    Long,
}

#[derive(Debug, PartialEq, windlass_tool_args::serde::Serialize, ToolArgs)]
#[serde(crate = "windlass_tool_args::serde")]
struct Page {
    #[tool_args(default = 20)]
    limit: u16,
    #[tool_args(default = "name".to_owned())]
    by: String,
    #[tool_args(whole, default = Some(std::time::Duration::from_secs(1)))]
    wait: Option<std::time::Duration>,
    #[serde(default)]
    detail: Detail,
}

/// Returns a page.
#[tool]
fn page(
    #[tool_args(default = 20)] r#limit: u16,
    #[tool_args(default = Detail::Long)] detail: Detail,
    #[tool_args(default = vec![1, 2])] lines: Vec<u8>,
) -> (u16, Detail, Vec<u8>) {
    (limit, detail, lines)
}

// The model reads a default that has a JSON form in the schema.
#[tokio::test]
async fn a_default_is_an_expression() {
    expect![[r#"{"type":"object","properties":{"limit":{"type":"integer","default":20,"maximum":65535,"minimum":0},"by":{"type":"string","default":"name"},"wait":{"type":["object","null"],"properties":{"secs":{"type":"integer","minimum":0},"nanos":{"type":"integer","minimum":0}},"default":{"nanos":0,"secs":1},"required":["secs","nanos"]},"detail":{"type":"string","description":"A level of detail, which is also a result.","enum":["short","long"],"default":"short"}}}"#]].assert_eq(Page::schema().as_str());
    expect![[r#"{"type":"object","properties":{"limit":{"type":"integer","default":20,"maximum":65535,"minimum":0},"detail":{"type":"string","description":"A level of detail, which is also a result.","enum":["short","long"],"default":"long"},"lines":{"type":"array","default":[1,2],"items":{"type":"integer","maximum":255,"minimum":0}}},"additionalProperties":false}"#]].assert_eq(&schema(&Page));
    assert_eq!(call(&Page, "{}").await, r#"Ok: [20,"long",[1,2]]"#);
    assert_eq!(call(&Page, r#"{"limit": 3, "lines": []}"#).await, r#"Ok: [3,"long",[]]"#);

    let strict = Page::parse(&Arguments::parse("{}").unwrap()).unwrap();
    assert_eq!((strict.limit, strict.by.as_str(), strict.detail), (20, "name", Detail::Short));
    let mut reader = PartialReader::<Page>::default();
    let partial = reader.push("{}");
    assert_eq!(partial.limit.complete(), Some(&strict.limit));
    assert_eq!(partial.by.complete(), Some(&strict.by));
    assert_eq!(partial.wait.complete().map(|wait| wait.0), Some(strict.wait));
    assert!(reader.mismatches().is_empty());
}
