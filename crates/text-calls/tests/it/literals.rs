//! Values of calls that are written as code: only a literal that has a value without execution is accepted
//! (RULES S10, X1).

use serde_json::{Value, json};
use windlass_assemble::{AssembleOptions, Assembler, Repairs};
use windlass_protocol::StopReason;
use windlass_stream::Chunk;
use windlass_text_calls::{Dialect, TextCallOptions};

use crate::scan::{chunks, splits, tool};

fn options(dialect: Dialect) -> TextCallOptions {
    let schema = r#"{"type":"object","properties":{"a":{},"b":{}}}"#;
    TextCallOptions::default().with_dialect(dialect).with_tools([tool("f", schema)])
}

/// The arguments of the calls that may run, with all repairs that there are.
fn good(options: &TextCallOptions, pieces: &[&str]) -> (usize, Vec<Value>) {
    let mut assembler = Assembler::new(AssembleOptions::default().with_repairs(Repairs::All));
    let mut events = Vec::new();
    for chunk in chunks(options, pieces.iter().copied()) {
        assembler.push(chunk, &mut events);
    }
    assembler.push(Chunk::Finish { reason: StopReason::End, raw: "stop".to_owned() }, &mut events);
    let answer = assembler.finish(&mut events);
    let arguments = answer.good_calls().map(|call| call.arguments().unwrap().to_value()).collect();
    (answer.calls.len(), arguments)
}

#[track_caller]
fn check(value: &str, expected: &Value) {
    let text = format!("[f(a={value}, b=1)]");
    for pieces in splits(&text) {
        let (_, calls) = good(&options(Dialect::Pythonic), &pieces);
        assert_eq!(calls, [json!({"a": expected, "b": 1})], "{pieces:?}");
    }
}

#[track_caller]
fn check_broken(text: &str) {
    for dialect in [Dialect::Pythonic, Dialect::Auto] {
        for pieces in splits(text) {
            let (calls, good) = good(&options(dialect), &pieces);
            assert_eq!((calls, good.len()), (1, 0), "{pieces:?}: {good:?}");
        }
    }
}

#[test]
fn an_expression_that_must_be_evaluated_is_not_a_literal() {
    for value in [
        "str(\"x\")",
        "os.getcwd()",
        "len('x')",
        "name",
        "name.attribute",
        "x[0]",
        "f\"{x}\"",
        "F'x'",
        "fr'x'",
        "t'x'",
        "\"a\" + \"b\"",
        "\"a\" \"b\"",
        "\"a\".upper()",
        "1 + 2",
        "-x",
        "not True",
        "lambda: 1",
        "2j",
        "{x: 1}",
        "{\"a\"}",
        "[x for x in y]",
        "(\"x\")",
        "\"\\N{BULLET}\"",
        "\"\\xg0\"",
        "1__0",
        "~1",
        "nan",
    ] {
        check_broken(&format!("[f(a={value}, b=1)]"));
        check_broken(&format!("[f(b=1, a={value})]"));
        check_broken(&format!("[f({value})]"));
    }
}

#[test]
fn string_literals_have_their_python_value() {
    check(r#"r"ls \d+ \"x""#, &json!(r#"ls \d+ \"x"#));
    check(r"R'a\n'", &json!(r"a\n"));
    check(r#"b"ls""#, &json!("ls"));
    check(r#"u"ls""#, &json!("ls"));
    check(r"rb'\x41'", &json!(r"\x41"));
    check("r'''a\\\nb'''", &json!("a\\\nb"));
    check(r#""\a\v\0\101\7x\/\q""#, &json!("\u{7}\u{b}\u{0}A\u{7}x\\/\\q"));
    check(r#""\x41\u00e9\U0001F642\'""#, &json!("A\u{e9}\u{1f642}'"));
    check(r"b'\u0041'", &json!(r"\u0041"));
    check("\"a\\\nb\"", &json!("ab"));
    check(r#""""#, &json!(""));
}

#[test]
fn numbers_and_tuples_have_their_python_value() {
    check("0x1F", &json!(31));
    check("0b101", &json!(5));
    check("-0o17", &json!(-15));
    check("1_000", &json!(1000));
    check(".5", &json!(0.5));
    check("5.", &json!(5.0));
    check("1e3", &json!(1e3));
    check("+7", &json!(7));
    check("(1, 'x')", &json!([1, "x"]));
    check("('x',)", &json!(["x"]));
    check("()", &json!([]));
    check("{'k': [True, None]}", &json!({"k": [true, null]}));
}

// J7: a call with two values for one member does not run, because the value that the model means is unknown.
#[test]
fn a_duplicate_member_makes_no_call() {
    let of = |json: &str| {
        let options = TextCallOptions::default().with_tools([tool("f", "{}"), tool("g", "{}")]);
        let text = format!("<tool_call>{json}</tool_call>");
        let all: Vec<_> = splits(&text).iter().map(|pieces| good(&options, pieces).1).collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{json}");
        all[0].clone()
    };
    for json in [
        r#"{"name":"f","arguments":{"c":"ls"},"arguments":{"c":"rm"}}"#,
        r#"{"name":"f","arguments":{"c":"ls"},"parameters":{"c":"rm"}}"#,
        r#"{"arguments":{"c":"ls"},"arguments":{"c":"rm"},"name":"f"}"#,
        r#"{"arguments":{"c":"ls"},"name":"f","arguments":{"c":"rm"}}"#,
        r#"{"name":"f","name":"g","arguments":{"c":"ls"}}"#,
        r#"{"name":"f","arguments":{"c":"ls"},"name":"g"}"#,
    ] {
        assert_eq!(of(json), Vec::<Value>::new(), "{json}");
    }
    assert_eq!(of(r#"{"name":"f","arguments":{"c":"ls"},"name":"f"}"#), [json!({"c": "ls"})]);
    assert_eq!(of(r#"{"arguments":{"c":"ls"},"name":"f"}"#), [json!({"c": "ls"})]);
    // The last bracket is missing, and nothing else.
    assert_eq!(of(r#"{"name":"f","arguments":{"c":"ls"}"#), [json!({"c": "ls"})]);
}
