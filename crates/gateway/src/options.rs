//! Options of a request in one vocabulary: read from the fields of one format, kept where the other has them.

use serde_json::{Map, Value, json};
use windlass_protocol::Request;
use windlass_wire::{SamplingOption, Server, Wire};

use crate::{fields, instructions};

/// Moves the fields of `from` that have a meaning in `to`. Returns the names of the others, and of options that the
/// other provider would refuse in this request.
pub(crate) fn translate(request: &mut Request, from: &dyn Server, to: &dyn Wire) -> Vec<String> {
    let sampling = from.share_options(request);
    let unread = std::mem::take(&mut request.options.extra);
    let mut lost = fields::names(from.field_rules(), unread);
    for option in sampling {
        match to.sampling_field(option.kind) {
            Some(field) => insert_option(&mut request.options.extra, field, option),
            None => lost.push(option.name.to_owned()),
        }
    }
    if !to.takes_seed() && request.options.seed.take().is_some() {
        lost.push("seed".to_owned());
    }
    if !to.takes_verbosity()
        && let Some(sentence) = request.options.verbosity.take().and_then(instructions::verbosity)
    {
        instructions::add(request, sentence);
    }
    lost.extend(to.settle_options(request).into_iter().map(str::to_owned));
    lost
}

fn insert_option(extra: &mut Map<String, Value>, field: &str, option: SamplingOption) {
    match field.split_once('.') {
        None => {
            extra.insert(field.to_owned(), option.value);
        }
        Some((outer, inner)) => {
            let config = extra.entry(outer).or_insert_with(|| json!({}));
            if let Some(config) = config.as_object_mut() {
                config.insert(inner.to_owned(), option.value);
            }
        }
    }
}
