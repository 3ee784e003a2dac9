//! Properties of every dialect: its own calls are parsed in every split, and nothing else is a call.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_protocol::{Arguments, ToolName, ToolSpec};
use windlass_stream::{CallChunk, Chunk};
use windlass_text_calls::{Dialect, Scanner, TextCallOptions, catalogue, render_call};

use crate::scan::{answer, calls, chunks, splits, tool};

fn write_file() -> ToolSpec {
    tool(
        "write_file",
        r#"{"type":"object","properties":{
            "path":{"type":"string"},"content":{"type":"string"},"line":{"type":"integer"},
            "deep":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}},
            "options":{"type":"object","properties":{"mode":{"type":"string"},"count":{"type":"integer"}}}
        },"required":["path","content"]}"#,
    )
}

fn options(dialect: Dialect) -> TextCallOptions {
    TextCallOptions::default()
        .with_dialect(dialect)
        .with_tools([write_file(), tool("stop", r#"{"type":"object"}"#)])
}

fn arguments(value: &Value) -> Arguments {
    Arguments::parse(value.to_string()).unwrap()
}

fn sample() -> Value {
    json!({
        "path": "src/a b.rs",
        "content": "fn main() {\n    println!(\"\\\"{}\\\"\", [1, 2]);\n}\n",
        "line": 12,
        "deep": true,
        "tags": ["a", "b c"],
        "options": { "mode": "w", "count": 2 },
    })
}

/// Returns text before a call, if the dialect permits text before calls.
fn words_before(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Structured | Dialect::FireFunction => "",
        _ => "I write.\n",
    }
}

/// Dialects that drop marks of their template.
fn has_marks(dialect: Dialect) -> bool {
    use Dialect::{CommandR, Functionary, Gemma, Glm, Granite, Harmony, KimiK3};
    matches!(dialect, CommandR | Functionary | Gemma | Glm | Granite | Harmony | KimiK3)
}

fn text_of(chunks: &[Chunk]) -> String {
    let words = chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Text { text } => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

#[test]
fn every_dialect_has_a_name_that_names_it() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.name().parse::<Dialect>().unwrap(), *dialect);
    }
    assert!("none".parse::<Dialect>().is_err());
}

// S14, X3
#[test]
fn calls_parse_the_same_for_any_split_and_no_partial_tag_leaks() {
    for dialect in Dialect::ALL {
        let before = words_before(*dialect);
        let call = render_call(*dialect, "write_file", &arguments(&sample()));
        let text = format!("{before}{call}\n");
        let whole = chunks(&options(*dialect), [text.as_str()]);
        assert_eq!(text_of(&whole), before, "{dialect}: {text}");
        assert_eq!(calls(&answer(whole.clone())), [("write_file".to_owned(), sample())], "{dialect}: {text}");
        for split in splits(&text) {
            assert_eq!(chunks(&options(*dialect), split.iter().copied()), whole, "{dialect} {split:?}");
            let (mut scanner, mut told) = (Scanner::new(options(*dialect)), Vec::new());
            for piece in split {
                scanner.push(piece, &mut told);
                assert!(before.starts_with(&text_of(&told)), "{dialect} leaks {:?}", text_of(&told));
            }
        }
    }
}

// J1, J2
#[test]
fn a_long_string_is_shown_while_it_is_written() {
    let content = "word ".repeat(200);
    for dialect in Dialect::ALL {
        let call = render_call(*dialect, "write_file", &arguments(&json!({ "content": content })));
        let half = call.find(&content).unwrap() + content.len() / 2;
        let (mut scanner, mut out) = (Scanner::new(options(*dialect)), Vec::new());
        let mut told = 0;
        for piece in [&call[..half], &call[half..half + 100], &call[half + 100..half + 200]] {
            scanner.push(piece, &mut out);
            let shown: usize = out
                .iter()
                .map(|chunk| match chunk {
                    Chunk::Call(CallChunk::Delta { arguments, .. }) => arguments.len(),
                    _ => 0,
                })
                .sum();
            assert!(shown >= told + 100, "{dialect} holds what it could tell");
            told = shown;
        }
    }
}

#[test]
fn calls_that_follow_each_other_are_all_read() {
    for dialect in Dialect::ALL {
        if matches!(dialect, Dialect::Structured | Dialect::FireFunction) {
            // In these dialects an answer is one object or one list.
            continue;
        }
        let first = render_call(*dialect, "write_file", &arguments(&sample()));
        let second = render_call(*dialect, "stop", &arguments(&json!({})));
        let text = format!("{first}\n{second}\n{first}\nDone.");
        let answer = answer(chunks(&options(*dialect), [text.as_str()]));
        let names: Vec<String> = calls(&answer).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["write_file", "stop", "write_file"], "{dialect}: {text}");
        assert_eq!(answer.text().trim(), "Done.", "{dialect}: {text}");
    }
}

// X1
#[test]
fn a_call_in_code_is_text() {
    for dialect in Dialect::ALL {
        let call = render_call(*dialect, "write_file", &arguments(&json!({ "path": "a", "content": "b" })));
        let mut texts = vec![
            format!("So:\n~~~xml\n{call}\n~~~\nThat is all."),
            format!("So:\n\n  ````\n{call}\n  ````\nThat is all."),
        ];
        if *dialect != Dialect::Json {
            texts.push(format!("So:\n```\n{call}\n```\nThat is all."));
            texts.push(format!("Write `{}` there.", call.replace('\n', " ")));
            texts.push(format!("Write ``a ` {}`` there.", call.replace('\n', " ")));
        }
        for text in texts {
            let chunks = chunks(&options(*dialect), [text.as_str()]);
            assert!(chunks.iter().all(|chunk| matches!(chunk, Chunk::Text { .. })), "{dialect}: {text}");
            if !has_marks(*dialect) {
                assert_eq!(text_of(&chunks), text, "{dialect}");
            }
        }
    }
}

// X1
#[test]
fn a_call_of_a_tool_that_is_not_on_offer_is_text() {
    for dialect in Dialect::ALL {
        let call = render_call(*dialect, "other_tool", &arguments(&sample()));
        let text = format!("{}{call}\nThat is all.", words_before(*dialect));
        let chunks = chunks(&options(*dialect), [text.as_str()]);
        assert!(chunks.iter().all(|chunk| matches!(chunk, Chunk::Text { .. })), "{dialect}: {text}");
        if !has_marks(*dialect) && *dialect != Dialect::Structured {
            assert_eq!(text_of(&chunks), text, "{dialect}");
        }
        assert!(text_of(&chunks).contains("other_tool"), "{dialect}");
    }
}

// X1
#[test]
fn prose_about_tags_is_text() {
    const WORDS: &str = "Use <tool_call> with {\"name\": …} in it, or <write_file> and </write_file>, or\n\
        <function=write_file> or [TOOL_CALLS] or <invoke name=\"write_file\"> or [write_file](a link).\n\
        {\"name\": \"else\"}\n[1, 2]\n{ }\na < b && c > d; x[0]; f(); <b>bold</b> ]<] <| <| ~~ ~ ` `` \n\
        write_file(path) is a function, and <｜tool▁call▁begin｜> is a mark.\n- [ ] write_file\nThe end <";
    for dialect in Dialect::ALL {
        let whole = chunks(&options(*dialect), [WORDS]);
        assert_eq!(whole, [Chunk::text(WORDS)], "{dialect}");
        for split in splits(WORDS) {
            assert_eq!(chunks(&options(*dialect), split.iter().copied()), whole, "{dialect} {split:?}");
        }
    }
}

// X1
#[test]
fn without_tools_all_is_text() {
    for dialect in Dialect::ALL.iter().filter(|dialect| !has_marks(**dialect)) {
        let call = render_call(*dialect, "write_file", &arguments(&sample()));
        let options = TextCallOptions::default().with_dialect(*dialect);
        assert_eq!(chunks(&options, [call.as_str()]), [Chunk::text(call.as_str())], "{dialect}");
    }
}

#[test]
fn any_tool_name_is_accepted_with_any_tool() {
    for dialect in Dialect::ALL {
        let call = render_call(*dialect, "other_tool", &arguments(&json!({ "path": "a" })));
        let options = options(*dialect).with_any_tool();
        let found = calls(&answer(chunks(&options, [call.as_str()])));
        assert_eq!(found, [("other_tool".to_owned(), json!({ "path": "a" }))], "{dialect}: {call}");
    }
}

#[test]
fn without_known_tools_a_tag_can_be_a_call_but_html_is_not() {
    let options = TextCallOptions::default().with_any_tool();
    let found = |text: &str| calls(&answer(chunks(&options, [text])));
    let call = "Yes.\n<read_file><path>a</path></read_file>";
    assert_eq!(found(call), [("read_file".to_owned(), json!({ "path": "a" }))]);
    for html in ["<ul>\n<li>a</li></ul>", "<details><summary>a</summary></details>", "in <a_b><c>d</c></a_b>"]
    {
        assert_eq!(found(html), [], "{html}");
    }
}

// S10
#[test]
fn a_call_that_is_cut_never_becomes_another_call() {
    for dialect in Dialect::ALL {
        let call = render_call(*dialect, "write_file", &arguments(&sample()));
        for end in (0..call.len()).filter(|end| call.is_char_boundary(*end)) {
            let found = calls(&answer(chunks(&options(*dialect), [&call[..end]])));
            for (name, value) in found.into_iter().filter(|(name, _)| !name.starts_with("malformed")) {
                assert_eq!((name.as_str(), &value), ("write_file", &sample()), "{dialect} cut at {end}");
            }
        }
    }
}

#[test]
fn the_example_of_a_catalogue_is_a_call() {
    for dialect in Dialect::ALL {
        let prompt = catalogue(*dialect, &[write_file()]);
        let example = json!({ "path": "path", "content": "content" });
        let call = render_call(
            *dialect,
            "write_file",
            &Arguments::parse(example.to_string().replace(':', ": ").replace(',', ", ")).unwrap(),
        );
        let spaced = render_call(
            *dialect,
            "write_file",
            &Arguments::parse(r#"{"path": "path", "content": "content"}"#).unwrap(),
        );
        assert!(prompt.contains(&spaced) || prompt.contains(&call), "{dialect}: {prompt}");
        let found = calls(&answer(chunks(&options(*dialect), [spaced.as_str()])));
        assert_eq!(found, [("write_file".to_owned(), example)], "{dialect}");
    }
}

fn any_arguments() -> impl Strategy<Value = Value> {
    let words = "[a-zA-Z0-9 \"'\\\\\n\t{}:,.=/()é世]{0,24}";
    let list = proptest::collection::vec("[a-z \"'\\\\{}:,]{1,8}", 0..3);
    (words, words, any::<i32>(), any::<bool>(), list, "[a-z\"' ]{1,5}", any::<i32>()).prop_map(
        |(path, content, line, deep, tags, mode, count)| {
            json!({
                "path": path, "content": content, "line": line, "deep": deep, "tags": tags,
                "options": { "mode": mode, "count": count },
            })
        },
    )
}

proptest! {
    // S14
    #[test]
    fn calls_rendered_in_a_dialect_are_parsed_back(value in any_arguments(), seed in any::<u64>()) {
        for dialect in Dialect::ALL {
            let text = render_call(*dialect, "write_file", &arguments(&value));
            let pieces = windlass_testkit::split::deltas(&text, windlass_testkit::split::Cut::Ragged, seed);
            let found = calls(&answer(chunks(&options(*dialect), pieces)));
            prop_assert_eq!(found, [("write_file".to_owned(), value.clone())], "{}: {}", dialect, text);
        }
    }
}

#[test]
fn ids_are_made_and_stay_the_same() {
    let options = options(Dialect::Hermes).with_id_prefix("m7");
    let call = render_call(Dialect::Hermes, "stop", &arguments(&json!({})));
    let answer = answer(chunks(&options, [format!("{call}{call}").as_str()]));
    let ids: Vec<&str> = answer.calls.iter().map(|call| call.id().as_str()).collect();
    assert_eq!(ids, ["m7_0", "m7_1"]);
    let names = TextCallOptions::default().with_names([ToolName::new("stop").unwrap()]);
    assert_eq!(calls(&crate::scan::answer(chunks(&names, [call.as_str()]))).len(), 1);
}
