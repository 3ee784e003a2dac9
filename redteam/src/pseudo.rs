//! Cases that are not tool calls. Each kind has its name in the catalogue and an executor here.

mod approval;
mod injection;
mod mcp;
mod policy;
mod secrets;
mod startup;
mod stream;
mod sub_agent;
mod traces;

use std::future::Future;
use std::pin::Pin;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value};

pub(crate) use self::mcp::serve as serve_mcp;
use crate::case::Stage;
use crate::observed::Observation;

type Performed<'a> = Pin<Box<dyn Future<Output = anyhow::Result<Observation>> + 'a>>;

/// The executor of the cases of one name.
pub(crate) struct Pseudo {
    name: &'static str,
    perform: for<'a> fn(&'a Stage<'a>) -> Performed<'a>,
}

const ALL: &[Pseudo] = &[
    Pseudo { name: "approval", perform: |stage| Box::pin(approval::run(stage)) },
    Pseudo { name: "policy", perform: |stage| Box::pin(async { policy::run(stage) }) },
    Pseudo { name: "tool_result", perform: |stage| Box::pin(injection::tool_result(stage)) },
    Pseudo { name: "assistant_text", perform: |stage| Box::pin(injection::assistant_text(stage)) },
    Pseudo { name: "tool_output", perform: |stage| Box::pin(injection::tool_output(stage)) },
    Pseudo { name: "provider_stream", perform: |stage| Box::pin(stream::provider(stage)) },
    Pseudo { name: "tool_args", perform: |stage| Box::pin(stream::arguments(stage)) },
    Pseudo { name: "debug_print", perform: |stage| Box::pin(secrets::debug_print(stage)) },
    Pseudo { name: "journal", perform: |stage| Box::pin(secrets::journal(stage)) },
    Pseudo { name: "panic", perform: |stage| Box::pin(secrets::panic(stage)) },
    Pseudo { name: "startup", perform: |stage| Box::pin(startup::run(stage)) },
    Pseudo { name: "otel_export", perform: |stage| Box::pin(traces::run(stage)) },
    Pseudo { name: "mcp", perform: |stage| Box::pin(mcp::run(stage)) },
    Pseudo { name: "sub_agent", perform: |stage| Box::pin(sub_agent::run(stage)) },
];

/// Returns the executor for a name, or `None` if the name is a tool's.
pub(crate) fn find(name: &str) -> Option<&'static Pseudo> {
    ALL.iter().find(|pseudo| pseudo.name == name)
}

impl Pseudo {
    pub(crate) async fn run(&self, stage: &Stage<'_>) -> anyhow::Result<Observation> {
        (self.perform)(stage).await
    }
}

/// Returns the input's members. Fails if the executor does not know one of them.
pub(crate) fn members<'a>(stage: &'a Stage<'_>, known: &[&str]) -> anyhow::Result<&'a Map<String, Value>> {
    let members = stage.value.as_object().context("the input is an object")?;
    if let Some(unknown) = members.keys().find(|name| !known.contains(&name.as_str())) {
        bail!("the word `{unknown}` of {} is not known", stage.tool);
    }
    Ok(members)
}

/// Returns a text member of the input.
pub(crate) fn text<'a>(members: &'a Map<String, Value>, name: &str) -> anyhow::Result<&'a str> {
    members.get(name).and_then(Value::as_str).with_context(|| format!("the input has no text `{name}`"))
}
