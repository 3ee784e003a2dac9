//! `windlass check`: lists the parts of a recorded request that a provider would refuse, or corrects its
//! conversation.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use windlass_agent::Transcript;
use windlass_text::count_noun;

use crate::arguments::Check;
use crate::{input, output};

pub(crate) fn check(arguments: &Check) -> anyhow::Result<ExitCode> {
    let body = input::bytes(&arguments.file)?;
    let server = arguments.wire.server();
    let path = arguments.path.as_deref().unwrap_or_else(|| server.request_path());
    let asked = server
        .decode_request(path, &body)
        .with_context(|| format!("the input is no request of {}", arguments.wire.as_str()))?;
    let mut request = asked.request;
    let wire = arguments.wire.wire();
    let refusals: Vec<String> = wire.check(&request).iter().map(ToString::to_string).collect();
    let imported = Transcript::import(request.messages.iter().cloned());
    let mends: Vec<String> = imported.mends.iter().map(ToString::to_string).collect();
    let is_good = refusals.is_empty() && mends.is_empty();
    if arguments.mend {
        for mend in &mends {
            output::note(mend);
        }
        // Put developer messages into the system prompt, the closest place that every wire format has.
        let system = request.system.take().into_iter().chain(imported.system);
        request.system = Some(system.collect::<Vec<_>>().join("\n\n")).filter(|system| !system.is_empty());
        request.messages = imported.transcript.messages().clone();
        let http = wire.encode(&request)?;
        output::json(&String::from_utf8(http.body.into()).context("the body is not UTF-8")?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.json {
        output::line(&json!({"refusals": refusals, "mends": mends, "messages": request.messages.len()}))?;
    } else {
        for refusal in &refusals {
            output::print(&format!("refused: {refusal}\n"))?;
        }
        for mend in &mends {
            output::print(&format!("mended: {mend}\n"))?;
        }
        if is_good {
            output::print(&format!(
                "{}, nothing to refuse and nothing to mend\n",
                count_noun(request.messages.len(), "message")
            ))?;
        }
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
