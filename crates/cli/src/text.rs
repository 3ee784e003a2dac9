//! `windlass parse --wire text`: decodes a model's text with calls in it.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_assemble::Answer;
use windlass_protocol::{Part, RawJson, StopReason, ToolName, ToolSpec};
use windlass_stream::Chunk;
use windlass_text_calls::{CallableTools, Dialect, Reasoning, Scanner, TextCallOptions};

use crate::arguments::{Parse, Stage, WireName};
use crate::parse::{CallOfMessage, answer, calls};
use crate::{input, output};

/// Format of the bytes to decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A provider's wire format.
    Wire(WireName),
    /// A model's text.
    Text,
}

/// Treatment of thoughts between tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Thoughts {
    /// Thoughts stay text.
    Keep,
    /// Thoughts become reasoning, separate from the text.
    Split,
    /// Like `split`, for an answer that starts inside thoughts because the prompt ends with their opening
    /// tag.
    Opened,
}

/// Returns an argument parser for the names of the wire formats and `text`.
pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    let wires = WireName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let text = PossibleValue::new("text").help("What a model wrote, with its calls as text");
    PossibleValuesParser::new(wires.chain([text])).map(|name| {
        // The parser accepts only these names.
        WireName::from_str(&name, false).map_or(Format::Text, Format::Wire)
    })
}

/// Returns an argument parser for the names of dialects.
pub(crate) fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.iter().map(|dialect| dialect.name())).map(|name| {
        // The parser accepts only these names.
        name.parse().unwrap_or_default()
    })
}

/// Decodes each file, or each line of each file.
pub(crate) fn parse(arguments: &Parse) -> anyhow::Result<ExitCode> {
    if arguments.stage == Stage::Sse {
        bail!("what a model wrote has no server-sent events; --stage takes chunk, call or message here");
    }
    let offer = match &arguments.tools {
        Some(file) => {
            offer_of(&input::text(file)?).with_context(|| format!("{} has no tools", file.display()))?
        }
        None => CallableTools::Any,
    };
    let mut options =
        TextCallOptions::default().with_dialect(arguments.dialect).with_reasoning(match arguments.thoughts {
            Thoughts::Keep => Reasoning::Keep,
            Thoughts::Split => Reasoning::Split,
            Thoughts::Opened => Reasoning::SplitOpened,
        });
    options.tools = offer;
    let many = arguments.files.len() > 1;
    let mut failed = false;
    for file in &arguments.files {
        let text = input::text(file)?;
        let file = many.then_some(file.as_path());
        if arguments.jsonl {
            failed |= !rows(&text, &options, arguments, file)?;
        } else {
            show(chunks(&text, &options, arguments.split), arguments.stage, Origin { file, line: None })?;
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A line of a `--jsonl` file.
#[derive(Deserialize)]
struct Row {
    input: String,
    tools: Option<RawJson>,
    dialect: Option<String>,
}

/// Decodes each line. Returns false if a line could not be decoded.
fn rows(
    text: &str,
    options: &TextCallOptions,
    arguments: &Parse,
    file: Option<&Path>,
) -> anyhow::Result<bool> {
    let mut good = true;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let origin = Origin { file, line: Some(number.saturating_add(1)) };
        match row(line, options) {
            Ok((input, options)) => show(chunks(&input, &options, arguments.split), arguments.stage, origin)?,
            Err(error) => {
                good = false;
                let mut failure = json!({ "line": origin.line, "error": format!("{error:#}") });
                if let (Some(file), Some(members)) = (file, failure.as_object_mut()) {
                    members.insert("file".to_owned(), json!(file));
                }
                output::line(&failure)?;
            }
        }
    }
    Ok(good)
}

fn row(line: &str, options: &TextCallOptions) -> anyhow::Result<(String, TextCallOptions)> {
    let row: Row = serde_json::from_str(line).context("the line is not an object with an `input`")?;
    let mut options = options.clone();
    if let Some(tools) = &row.tools {
        options.tools = offer_of(tools.as_str())?;
    }
    if let Some(dialect) = &row.dialect {
        options.dialect = dialect.parse()?;
    }
    Ok((row.input, options))
}

/// File and line of a decoded text.
#[derive(Clone, Copy, Serialize)]
struct Origin<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

fn chunks(text: &str, options: &TextCallOptions, split: Option<usize>) -> Vec<Chunk> {
    let mut scanner = Scanner::new(options.clone());
    let mut chunks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut at = split.unwrap_or(usize::MAX).clamp(1, rest.len());
        while !rest.is_char_boundary(at) {
            at = at.saturating_add(1);
        }
        let (piece, after) = rest.split_at(at);
        scanner.push(piece, &mut chunks);
        rest = after;
    }
    scanner.finish(&mut chunks);
    chunks
}

fn show(mut chunks: Vec<Chunk>, stage: Stage, origin: Origin<'_>) -> anyhow::Result<()> {
    if stage == Stage::Chunk {
        return chunks.iter().try_for_each(output::line);
    }
    // The text is the whole answer, so the model stopped by itself.
    chunks.push(Chunk::Finish { reason: StopReason::End, raw: "stop".to_owned() });
    if stage == Stage::Call {
        return calls(chunks);
    }
    let answer = answer(chunks);
    output::line(&Line {
        origin,
        text: answer.text(),
        reasoning: reasoning(&answer),
        tool_calls: answer.calls.iter().map(CallOfMessage::from_call).collect(),
    })
}

/// A decoded text as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    origin: Origin<'a>,
    text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    reasoning: String,
    tool_calls: Vec<CallOfMessage<'a>>,
}

fn reasoning(answer: &Answer) -> String {
    let thoughts = answer.parts.iter().filter_map(|part| match part {
        Part::Reasoning(reasoning) => Some(reasoning.text.as_str()),
        _ => None,
    });
    thoughts.collect()
}

/// Parses a JSON array of tools. Keeps the text of schemas, because the order of parameters is significant.
fn offer_of(json: &str) -> anyhow::Result<CallableTools> {
    let tools: Vec<RawJson> = serde_json::from_str(json).context("the tools are not a JSON array")?;
    tools.iter().map(spec_of).collect::<anyhow::Result<_>>().map(CallableTools::Only)
}

/// A tool in the forms of the providers' APIs.
#[derive(Deserialize)]
struct ToolObject {
    name: Option<String>,
    description: Option<String>,
    parameters: Option<RawJson>,
    input_schema: Option<RawJson>,
    function: Option<RawJson>,
}

fn spec_of(tool: &RawJson) -> anyhow::Result<ToolSpec> {
    let unknown = || format!("a tool is neither a name nor an object with one: {}", tool.as_str());
    if let Ok(name) = serde_json::from_str::<String>(tool.as_str()) {
        return Ok(ToolSpec::function(ToolName::new(name)?, "", RawJson::default()));
    }
    let object: ToolObject = serde_json::from_str(tool.as_str()).with_context(unknown)?;
    if let Some(function) = object.function.filter(|_| object.name.is_none()) {
        return spec_of(&function);
    }
    let name = ToolName::new(object.name.with_context(unknown)?)?;
    let schema = object.parameters.or(object.input_schema).unwrap_or_default();
    Ok(ToolSpec::function(name, object.description.unwrap_or_default(), schema))
}
