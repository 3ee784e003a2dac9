//! Encodes the body of a request: the fields have a fixed order, and `messages` comes last (RULES N6).

use std::ops::Range;

use serde::{Serialize, Serializer};
use windlass_protocol::{Delivery, History, PromptCache, Request, Role};
use windlass_wire::{EncodeError, HttpRequest, RequestBody, check_pairing_from, with_extra};

use crate::cache::{markers_beside, markers_in_message};
use crate::changes::Preamble;
use crate::fields::{output, system};
use crate::instructions::{follows_answer, last_instructions, takes_system_messages};
use crate::names::{NAME, encode_error};
use crate::parts::{blocks, has_blocks};
use crate::programs::{CONTAINER, pending_container};
use crate::request::{Ephemeral, Field, KnownBlock, WireBlock, WireMessage};
use crate::{AnthropicOptions, Caching, hosted, parameters, tools};

/// The body's fields in the order in which they are serialized.
struct Body<'a>(Vec<(&'a str, Field<'a>)>);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The name of the body's field for the conversation.
const MESSAGES: &str = "messages";

pub(crate) fn encode(
    options: &AnthropicOptions,
    request: &Request,
    mut body: RequestBody<'_>,
) -> Result<HttpRequest, EncodeError> {
    // System messages before all others belong to the system prompt.
    let before = request.messages.iter().take_while(|message| message.role == Role::System).count();
    let keeps_system = takes_system_messages(options.system_messages, &request.model);
    let preamble = Preamble::find(options, request);
    let key = format_args!("{NAME} {before} {keeps_system} {:?}", preamble.changes);
    let start = body.resume(key, &request.messages, has_blocks);
    check_pairing_from(&request.messages, start)?;
    // Do not add markers to a request that places its own.
    let is_marked = options.caching != Caching::AsMarked
        && request.options.prompt_cache != PromptCache::Off
        && body.tally(&request.messages, markers_in_message) == 0
        && markers_beside(request) == 0;
    let marker = is_marked.then_some(Ephemeral {});
    let mut fields = vec![("model", Field::Text(&request.model))];
    parameters::encode(options, request, &mut fields)?;
    if request.delivery == Delivery::Stream {
        fields.push(("stream", Field::Flag(true)));
    }
    if options.caching == Caching::Conversation {
        fields.extend(marker.map(|marker| ("cache_control", Field::Marker(marker))));
    }
    let output = output(request)?;
    if let Some(config) = &output {
        fields.push(("output_config", Field::Output(config.clone())));
    }
    fields.extend(pending_container(request).map(|id| (CONTAINER, Field::Text(id))));
    tools::encode(options, request, preamble.tools, marker, &mut fields)?;
    fields.extend(system(request, preamble.system, before, marker)?.map(|system| ("system", system)));
    fields.push((MESSAGES, Field::Messages([])));
    let mut fields = with_extra(fields, &request.options.extra, Field::Extra);
    if let Some(config) = output {
        // `extra` may have replaced `output_config`; put the merged value back, which holds the request's own
        // fields beside the format.
        for (name, field) in &mut fields {
            if *name == "output_config" {
                *field = Field::Output(config.clone());
            }
        }
    }
    let messages = |range: Range<usize>| {
        let messages = wire_messages(&request.messages, before, keeps_system, range.clone())?;
        preamble.append_changes(options, request, range.end, messages)
    };
    let body = if request.options.extra.contains_key(MESSAGES) {
        messages(0..request.messages.len())?;
        body.whole(serde_json::to_vec(&Body(fields))?.into())
    } else {
        body.finish(&Body(fields), &request.messages, messages)?
    };
    let http =
        HttpRequest::post("/v1/messages", body).with_header("anthropic-version", options.version.as_str());
    Ok(hosted::add_betas(http, options, request, preamble.beta()))
}

/// Encodes a range of messages, except the first `system` ones, which belong to the system prompt. The range
/// holds whole rounds: an answer with all results of its calls.
fn wire_messages(
    all: &History,
    system: usize,
    keeps_system: bool,
    range: Range<usize>,
) -> Result<Vec<WireMessage<'_>>, EncodeError> {
    let mut messages: Vec<WireMessage<'_>> = Vec::with_capacity(range.len());
    let instructions = if keeps_system { last_instructions(all, range.clone()) } else { range.end };
    for (position, message) in all.iter().enumerate().take(range.end).skip(range.start.max(system)) {
        let role = match message.role {
            Role::Assistant => "assistant",
            Role::System if position >= instructions && !follows_answer(&messages) => "system",
            // Elsewhere the API does not take the role; `user` is the role with the least authority.
            Role::User | Role::Tool | Role::System => "user",
            _ => return Err(encode_error(format!("the role of message {position}"))),
        };
        let content = blocks(message)?;
        if content.is_empty() {
            if role == "assistant" {
                continue;
            }
            let what = format!("message {position} is empty");
            return Err(EncodeError::Conversation { what });
        }
        // The API requires the two roles to alternate, so merge consecutive messages of one role.
        match messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            _ => messages.push(WireMessage { role, content }),
        }
    }
    for message in messages.iter_mut().filter(|message| message.role == "user") {
        // The API requires all results of a round in one message, before all other blocks.
        message.content.sort_by_key(|block| !is_result(block));
    }
    Ok(messages)
}

fn is_result(block: &WireBlock<'_>) -> bool {
    matches!(block, WireBlock::Known { block: KnownBlock::ToolResult { .. }, .. })
}
