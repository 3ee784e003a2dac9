//! Renders one call as a model of a dialect would write it.

use std::fmt::Write as _;

use serde_json::value::RawValue;
use windlass_protocol::Arguments;

use super::members::{Members, words};
use crate::Dialect;
use crate::escape::quote;

/// Renders a call in a dialect, for an example in a prompt or for a history that is sent again.
///
/// A [`Scanner`](crate::Scanner) parses the text back into the same call, except for values that the dialect
/// cannot express: a closing tag inside a string of a dialect without quotes, and a parameter name that is
/// not a plain word.
///
/// ```
/// use windlass_protocol::Arguments;
/// use windlass_text_calls::{Dialect, render_call};
/// let arguments = Arguments::parse(r#"{"path":"src/lib.rs","line":3}"#)?;
/// assert_eq!(
///     render_call(Dialect::Roo, "read_file", &arguments),
///     "<read_file>\n<path>src/lib.rs</path>\n<line>3</line>\n</read_file>"
/// );
/// assert_eq!(render_call(Dialect::Lfm2, "read_file", &arguments),
///     r#"<|tool_call_start|>[read_file(path="src/lib.rs", line=3)]<|tool_call_end|>"#);
/// # Ok::<(), windlass_protocol::ArgumentsError>(())
/// ```
pub fn render_call(dialect: Dialect, name: &str, arguments: &Arguments) -> String {
    let json = arguments.as_str().trim();
    let object = |key: &str| format!("{{\"name\": {}, \"{key}\": {json}}}", quote(name));
    let call = object("arguments");
    match dialect {
        Dialect::Auto | Dialect::Hermes => format!("<tool_call>\n{call}\n</tool_call>"),
        Dialect::Granite => format!("<|tool_call|>[{call}]"),
        Dialect::Nemotron => format!("<TOOLCALL>[{call}]</TOOLCALL>"),
        Dialect::Apriel => format!("<tool_calls>[{call}]</tool_calls>"),
        Dialect::FireFunction => format!("functools[{call}]"),
        Dialect::GigaChat => format!("<|function_call|>{call}"),
        Dialect::InternLm => {
            format!(
                "<|action_start|><|plugin|>\n{{\"name\": {}, \"parameters\": {json}}}<|action_end|>",
                quote(name)
            )
        }
        Dialect::LongCat => format!("<longcat_tool_call>{call}</longcat_tool_call>"),
        Dialect::Json => format!("```json\n{call}\n```"),
        Dialect::Structured => format!("{{\"toolCalls\": [{call}], \"needsMoreWork\": true}}"),
        Dialect::Llama3 => object("parameters"),
        Dialect::Apertus => format!("<|tools_prefix|>[{{{}: {json}}}]<|tools_suffix|>", quote(name)),
        Dialect::CommandR => {
            let name = quote(name);
            format!("<|START_ACTION|>[{{\"tool_name\": {name}, \"parameters\": {json}}}]<|END_ACTION|>")
        }
        Dialect::Mistral => format!("[TOOL_CALLS]{name}[ARGS]{json}"),
        Dialect::Functionary => format!("<function={name}>{json}</function>"),
        Dialect::Harmony => {
            format!("<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{json}<|call|>")
        }
        Dialect::DeepSeek => format!(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        ),
        Dialect::KimiK2 => format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{json}\
             <|tool_call_end|><|tool_calls_section_end|>"
        ),
        Dialect::Pythonic => format!("[{name}({})]", keywords(json)),
        Dialect::Lfm2 => format!("<|tool_call_start|>[{name}({})]<|tool_call_end|>", keywords(json)),
        Dialect::Gemma => format!("<|tool_call>call:{name}{}<tool_call|>", gemma(json)),
        _ => in_tags(dialect, name, json),
    }
}

/// Renders a call in one of the dialects with parameters in tags.
fn in_tags(dialect: Dialect, name: &str, json: &str) -> String {
    let (open, close) = frame(dialect, name);
    let mut text = open;
    for (key, value) in Members::parse(json).0 {
        let words = words(value.get());
        // Writing to a `String` cannot fail.
        let _ = match dialect {
            Dialect::Roo => writeln!(text, "<{key}>{}</{key}>", in_lines(&words)),
            Dialect::Qwen3Coder => write!(text, "<parameter={key}>\n{words}\n</parameter>\n"),
            Dialect::SeedOss => writeln!(text, "<parameter={key}>{words}</parameter>"),
            Dialect::Glm => {
                write!(text, "<arg_key>{key}</arg_key>\n<arg_value>{}</arg_value>\n", format_paired(&words))
            }
            Dialect::Dsml => {
                let string = value.get().starts_with('"');
                write!(
                    text,
                    "<｜DSML｜parameter name=\"{key}\" string=\"{string}\">{}",
                    format_paired(&words)
                )
                .and_then(|()| text.write_str("</｜DSML｜parameter>\n"))
            }
            Dialect::KimiK3 => {
                let kind = kind(&value);
                write!(text, "<|open|>argument key=\"{key}\" type=\"{kind}\"<|sep|>{words}")
                    .and_then(|()| text.write_str("<|close|>argument<|sep|>"))
            }
            Dialect::MinimaxM3 => text.write_str(&format_nested(&key, value.get())),
            Dialect::MiniCpm if words.contains('<') && !words.contains("]]>") => {
                write!(text, "<param name=\"{key}\"><![CDATA[{words}]]></param>")
            }
            Dialect::MiniCpm => write!(text, "<param name=\"{key}\">{}</param>", format_paired(&words)),
            _ => writeln!(text, "<parameter name=\"{key}\">{}</parameter>", format_paired(&words)),
        };
    }
    text.push_str(&close);
    text
}

/// Returns the text before and after the parameters.
fn frame(dialect: Dialect, name: &str) -> (String, String) {
    let (open, close) = match dialect {
        Dialect::Roo => return (format!("<{name}>\n"), format!("</{name}>")),
        Dialect::Qwen3Coder => ("<tool_call>\n<function={}>\n", "</function>\n</tool_call>"),
        Dialect::SeedOss => ("<seed:tool_call>\n<function={}>\n", "</function>\n</seed:tool_call>"),
        Dialect::Glm => ("<tool_call>{}\n", "</tool_call>"),
        Dialect::Dsml => (
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"{}\">\n",
            "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        ),
        Dialect::KimiK3 => (
            "<|open|>tools<|sep|><|open|>call tool=\"{}\" index=\"1\"<|sep|>",
            "<|close|>call<|sep|><|close|>tools<|sep|>",
        ),
        Dialect::MinimaxM2 => {
            ("<minimax:tool_call>\n<invoke name=\"{}\">\n", "</invoke>\n</minimax:tool_call>")
        }
        Dialect::MinimaxM3 => (
            "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"{}\">",
            "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
        ),
        Dialect::MiniCpm => ("<function name=\"{}\">", "</function>"),
        _ => ("<function_calls>\n<invoke name=\"{}\">\n", "</invoke>\n</function_calls>"),
    };
    (open.replace("{}", name), close.to_owned())
}

/// Formats a value for a dialect whose reader removes one newline on each side.
fn in_lines(words: &str) -> String {
    if words.contains('\n') || words.contains('\r') { format!("\n{words}\n") } else { words.to_owned() }
}

/// Formats a value for a dialect whose reader removes the newlines only if the value starts with one.
fn format_paired(words: &str) -> String {
    if words.starts_with(['\n', '\r']) { format!("\n{words}\n") } else { words.to_owned() }
}

fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}

/// Formats arguments as keyword arguments of a Python call.
fn keywords(json: &str) -> String {
    let members = Members::parse(json).0.into_iter();
    members.map(|(key, value)| format!("{key}={}", python(value.get()))).collect::<Vec<_>>().join(", ")
}

/// Formats a value as a Python literal. JSON strings and numbers are valid Python.
fn python(json: &str) -> String {
    match json.as_bytes().first() {
        Some(b'{') => {
            let members = Members::parse(json).0.into_iter();
            let members = members.map(|(key, value)| format!("{}: {}", quote(&key), python(value.get())));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Some(b'[') => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(json).unwrap_or_default();
            format!("[{}]", items.iter().map(|item| python(item.get())).collect::<Vec<_>>().join(", "))
        }
        Some(b't') => "True".to_owned(),
        Some(b'f') => "False".to_owned(),
        Some(b'n') => "None".to_owned(),
        _ => json.to_owned(),
    }
}

/// Formats a value with unquoted keys and marked strings.
fn gemma(json: &str) -> String {
    match json.as_bytes().first() {
        Some(b'{') => {
            let members = Members::parse(json).0.into_iter();
            let members = members.map(|(key, value)| format!("{key}:{}", gemma(value.get())));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Some(b'[') => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(json).unwrap_or_default();
            format!("[{}]", items.iter().map(|item| gemma(item.get())).collect::<Vec<_>>().join(","))
        }
        Some(b'"') => format!("<|\"|>{}<|\"|>", words(json)),
        _ => json.to_owned(),
    }
}

/// Formats a value as nested tags.
fn format_nested(key: &str, json: &str) -> String {
    let inner = match json.as_bytes().first() {
        Some(b'{') => {
            let members = Members::parse(json).0.into_iter();
            members.map(|(key, value)| format_nested(&key, value.get())).collect::<String>()
        }
        Some(b'[') => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(json).unwrap_or_default();
            items.iter().map(|item| format_nested("item", item.get())).collect::<String>()
        }
        _ => words(json),
    };
    // An empty object or array has no tags to nest, so it is written as JSON.
    let inner = if inner.is_empty() && json != "\"\"" { json.to_owned() } else { inner };
    format!("]<]minimax[>[<{key}>{inner}]<]minimax[>[</{key}>")
}
