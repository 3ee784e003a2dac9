//! The form in which a request offers each tool, and the calls of a turn in that form.

use serde_json::Value;

use crate::script::{CallForm, ScriptPart, Turn};

/// Gives the calls of a turn the form in which a request of Chat or Responses offers their tools: with free text, in a
/// namespace, or as a search that the client runs. The script names a function of a namespace `NAMESPACE__NAME`.
pub(super) fn fit_calls(turn: &mut Turn, request: &Value) {
    let offers = offers(request);
    for step in &mut turn.steps {
        let ScriptPart::Call(call) = step else { continue };
        let Some(offer) = offers.iter().find(|offer| offer.script_name == call.name) else { continue };
        call.custom |= offer.is_custom;
        call.form = offer.form.clone();
        offer.name.clone_into(&mut call.name);
    }
}

struct Offer {
    script_name: String,
    name: String,
    is_custom: bool,
    form: CallForm,
}

fn offers(request: &Value) -> Vec<Offer> {
    let items = request.get("input").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_offer = |item: &&Value| matches!(kind(item), "additional_tools" | "tool_search_output");
    let lists = std::iter::once(request).chain(items.iter().filter(is_offer));
    let tools = lists.filter_map(|list| list.get("tools")?.as_array()).flatten();
    tools.flat_map(offers_of).collect()
}

/// Returns the offer of a tool, or those of a namespace.
fn offers_of(tool: &Value) -> Vec<Offer> {
    match kind(tool) {
        "namespace" => {
            let functions =
                tool.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            functions.iter().map(|function| offer_in_namespace(name(tool), function)).collect()
        }
        "tool_search" if tool["execution"] == "client" => {
            let name = "tool_search".to_owned();
            vec![Offer { script_name: name.clone(), name, is_custom: false, form: CallForm::Search }]
        }
        _ => vec![plain(tool)],
    }
}

fn offer_in_namespace(namespace: &str, function: &Value) -> Offer {
    let script_name = format!("{}__{}", namespace.trim_end_matches('_'), name(function));
    Offer { script_name, form: CallForm::Namespaced(namespace.to_owned()), ..plain(function) }
}

fn plain(tool: &Value) -> Offer {
    let name = name(tool).to_owned();
    Offer { script_name: name.clone(), name, is_custom: kind(tool) == "custom", form: CallForm::Plain }
}

fn kind(value: &Value) -> &str {
    value["type"].as_str().unwrap_or_default()
}

fn name(tool: &Value) -> &str {
    let name = tool.pointer("/custom/name").or_else(|| tool.pointer("/function/name"));
    name.or_else(|| tool.get("name")).and_then(Value::as_str).unwrap_or_default()
}
