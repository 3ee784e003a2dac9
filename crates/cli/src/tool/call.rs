//! `windlass tool call`: calls tools by hand, under the same policy as in a run.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use windlass_protocol::{Arguments, CallId, ToolCall, ToolName};
use windlass_redact::Redactor;

use crate::arguments::{Call, PresetName};
use crate::by_hand::{Consent, Place, tell};
use crate::setup::Offered;
use crate::tape::Tape;
use crate::{confine, input, policies, secrets, setup};

/// Runs the calls one after the other. Stops at the first one that fails.
pub(crate) async fn call(arguments: Call) -> anyhow::Result<ExitCode> {
    let calls = calls(&arguments)?;
    let place = place(&arguments).await?;
    for call in &calls {
        let (result, decision) = place.make(call).await?;
        tell(&result, decision, arguments.json)?;
        if !result.status.is_ok() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn calls(arguments: &Call) -> anyhow::Result<Vec<ToolCall>> {
    let first = (&arguments.name, &arguments.arguments);
    let then = arguments.then.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)));
    let mut calls = Vec::new();
    for (position, (name, text)) in std::iter::once(first).chain(then).enumerate() {
        let text = if text == "-" { input::text(Path::new("-"))? } else { text.clone() };
        calls.push(ToolCall::function(
            CallId::new(format!("call_{}", position.saturating_add(1)))?,
            ToolName::new(name.clone())?,
            Arguments::parse(text).context("the arguments are not a JSON object")?,
        ));
    }
    Ok(calls)
}

async fn place(arguments: &Call) -> anyhow::Result<Place> {
    let root = setup::root(&arguments.root)?;
    let outputs = tempfile::tempdir().context("a folder for long outputs cannot be made")?;
    let policy = arguments.policy.as_deref();
    let shell = confine::shell(arguments.sandbox, policy)?;
    let offered =
        Offered { preset: PresetName::Full, offering: &arguments.offering, model: None, servers: None };
    let toolbox = setup::prepare(&Tape::none(), &root, Some(outputs.path()), offered, &shell)?;
    let toolbox = toolbox.served(&Tape::none()).await;
    Ok(Place {
        toolbox: super::in_mode(toolbox, arguments.offering.mode.as_deref())?,
        policy: arguments.offering.embeddings.reachable(policies::load(&root, policy)?)?,
        redactor: Redactor::new(secrets::of_folder(&root)),
        root,
        outputs,
        consent: if arguments.yes { Consent::Given } else { Consent::Missing },
    })
}
