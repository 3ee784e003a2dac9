//! Changes of the tools and the system prompt inside the conversation, as blocks at their places.

use std::collections::BTreeMap;

use windlass_protocol::{History, Request, Role, ToolSpec};
use windlass_wire::EncodeError;

use crate::instructions::takes_system_messages;
use crate::model::is_since;
use crate::parts::has_blocks;
use crate::request::{ChangedTool, KnownBlock, ToolChange, WireBlock, WireMessage};
use crate::{AnthropicOptions, ToolChanges, tools};

/// The beta feature of tools in messages. It contains the references of `mid-conversation-tool-changes-2026-07-01`.
const BETA: &str = "inline-tools-2026-09-15";

/// The models that take changes of tools, from Anthropic's release notes of July 24, 2026.
const TAKING: [(&str, (u32, u32)); 3] = [("opus", (4, 8)), ("fable", (5, 0)), ("mythos", (5, 0))];

/// The largest number of characters of the line that names a part of the system prompt.
const NAMED: usize = 120;

/// The system prompt and the tools that precede the conversation in the body, and their changes inside it.
#[derive(Debug)]
pub(crate) struct Preamble<'a> {
    pub(crate) system: Option<&'a str>,
    pub(crate) tools: &'a [ToolSpec],
    pub(crate) changes: Vec<Change<'a>>,
}

/// The changes that take effect at one place.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    /// The position of the answer that follows the change, or the number of messages.
    at: usize,
    steps: Vec<Step<'a>>,
    instruction: Option<String>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Remove(&'a str),
    /// Adds a tool that was removed before.
    AddAgain(&'a str),
    /// Adds a tool, or replaces the tool of the same name.
    Define(&'a ToolSpec),
}

impl<'a> Preamble<'a> {
    /// Returns the first preamble of the conversation with its changes, or the present one if the request has no changes
    /// or the model or the conversation cannot take them.
    pub(crate) fn find(options: &AnthropicOptions, request: &'a Request) -> Self {
        find_changes(options, request).unwrap_or(Self {
            system: request.system.as_deref(),
            tools: &request.tools,
            changes: Vec::new(),
        })
    }

    /// Returns the beta feature that the changes need.
    pub(crate) fn beta(&self) -> Option<&'static str> {
        (!self.changes.is_empty()).then_some(BETA)
    }

    /// Appends the changes at the end of a range to its messages.
    pub(crate) fn append_changes(
        &self,
        options: &AnthropicOptions,
        request: &'a Request,
        end: usize,
        mut messages: Vec<WireMessage<'a>>,
    ) -> Result<Vec<WireMessage<'a>>, EncodeError> {
        let Some(change) = self.changes.iter().find(|change| change.at == end) else { return Ok(messages) };
        let content = change.blocks(options, request)?;
        match messages.last_mut() {
            Some(last) if last.role == "system" => last.content.extend(content),
            _ => messages.push(WireMessage { role: "system", content }),
        }
        Ok(messages)
    }
}

impl<'a> Change<'a> {
    fn blocks(
        &self,
        options: &AnthropicOptions,
        request: &'a Request,
    ) -> Result<Vec<WireBlock<'a>>, EncodeError> {
        let tools = self.steps.iter().map(|step| {
            Ok(WireBlock::ToolChange(match step {
                Step::Remove(name) => ToolChange::ToolRemoval { tool: ChangedTool::ToolReference { name } },
                Step::AddAgain(name) => {
                    ToolChange::ToolAddition { tool: ChangedTool::ToolReference { name } }
                }
                Step::Define(spec) => {
                    let definition = tools::wire_tool(options, request, spec)?;
                    ToolChange::ToolAddition { tool: ChangedTool::ToolDefinition { definition } }
                }
            }))
        });
        let words = self
            .instruction
            .clone()
            .map(|text| Ok(WireBlock::from_known(KnownBlock::Text { text: text.into() })));
        tools.chain(words).collect()
    }
}

fn find_changes<'a>(options: &AnthropicOptions, request: &'a Request) -> Option<Preamble<'a>> {
    let first = request.earlier_preambles.first()?;
    let is_taken = options.tool_changes == ToolChanges::ByModel
        && is_since(&request.model, &TAKING)
        && takes_system_messages(options.system_messages, &request.model);
    // The API: a request whose first tools are in a message has another prefix.
    if !is_taken || first.tools.is_empty() || request.all_tools().any(|tool| is_special(request, tool)) {
        return None;
    }
    let later = request.earlier_preambles.iter().skip(1);
    let later = later.map(|earlier| (earlier.system.as_deref(), earlier.tools.as_slice()));
    let later = later.chain([(request.system.as_deref(), request.tools.as_slice())]);
    let mut places = Vec::new();
    for (earlier, next) in request.earlier_preambles.iter().zip(later) {
        let at = find_place(&request.messages, earlier.messages)?;
        // A change that no request has shown to the model is replaced by the next one.
        if places.last().is_some_and(|(place, _)| *place == at) {
            places.pop();
        }
        places.push((at, next));
    }
    let mut defined: BTreeMap<&str, &ToolSpec> = index_names(&first.tools);
    let mut before = (first.system.as_deref(), first.tools.as_slice());
    let mut changes = Vec::new();
    for (at, next) in places {
        let steps = steps(before.1, next.1, &mut defined);
        let instruction = instruction(before.0.unwrap_or_default(), next.0.unwrap_or_default());
        if !steps.is_empty() || instruction.is_some() {
            changes.push(Change { at, steps, instruction });
        }
        before = next;
    }
    Some(Preamble { system: first.system.as_deref(), tools: &first.tools, changes })
}

/// Returns true for a tool whose definition has more than this crate's fields.
fn is_special(request: &Request, tool: &ToolSpec) -> bool {
    request.tool_fields.contains_key(tool.name())
        || request.options.is_deferred(tool.name())
        || request.options.programmatic_calling(tool.name()).is_some()
}

/// Returns the position at or after `at` at which the API takes a system message: after a turn of the user, and before an
/// answer or at the end.
fn find_place(messages: &History, at: usize) -> Option<usize> {
    let is_answer = |at: usize| {
        messages.get(at).is_none_or(|message| message.role == Role::Assistant && has_blocks(message))
    };
    let place = (at..=messages.len()).find(|at| is_answer(*at))?;
    let before = messages.get(place.checked_sub(1)?)?;
    let has_turn = messages.iter().take(place).any(|message| message.role != Role::System);
    (has_turn && before.role != Role::Assistant).then_some(place)
}

fn index_names(tools: &[ToolSpec]) -> BTreeMap<&str, &ToolSpec> {
    tools.iter().map(|tool| (tool.name().as_str(), tool)).collect()
}

/// Returns the steps from one list of tools to the next one. `defined` has the newest definition of each tool that the
/// model was shown.
fn steps<'a>(
    before: &'a [ToolSpec],
    after: &'a [ToolSpec],
    defined: &mut BTreeMap<&'a str, &'a ToolSpec>,
) -> Vec<Step<'a>> {
    let (old, new) = (index_names(before), index_names(after));
    let removed = old.keys().filter(|name| !new.contains_key(*name));
    let mut steps: Vec<Step<'a>> = removed.map(|name| Step::Remove(name)).collect();
    for tool in after {
        let name = tool.name().as_str();
        let is_defined = defined.get(name).is_some_and(|known| *known == tool);
        match (is_defined, old.contains_key(name)) {
            (true, true) => {}
            (true, false) => steps.push(Step::AddAgain(name)),
            (false, _) => {
                defined.insert(name, tool);
                steps.push(Step::Define(tool));
            }
        }
    }
    steps
}

/// Returns the text about a change of the system prompt: the paragraphs that differ.
fn instruction(before: &str, after: &str) -> Option<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split("\n\n").collect(), after.split("\n\n").collect());
    let same = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let old = old.get(same..).unwrap_or_default().join("\n\n");
    let new = new.get(same..).unwrap_or_default().join("\n\n");
    let begins: String = old.trim().lines().next().unwrap_or_default().chars().take(NAMED).collect();
    match (old.trim().is_empty(), new.trim().is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("These instructions are added to the system prompt:\n\n{new}")),
        (false, true) => Some(format!(
            "The part of the system prompt that begins with {begins:?} does not apply any more."
        )),
        (false, false) => Some(format!(
            "These instructions replace the part of the system prompt that begins with {begins:?}:\n\n{new}"
        )),
    }
}
