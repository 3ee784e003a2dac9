//! `windlass tool`: tools by hand.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use windlass_hitl::{Grants, Learned, Verdict, decide};
use windlass_protocol::{Arguments, CallId, RawJson, ToolCall, ToolName, ToolSpec};
use windlass_redact::Redactor;
use windlass_tool::Context;
use windlass_tools_shell::Shell;

use crate::arguments::{PresetName, SandboxName, Tool, ToolCommand};
use crate::setup::Offered;
use crate::tape::Tape;
use crate::{confine, input, modes, output, policies, secrets, setup};

pub(crate) async fn tool(arguments: Tool) -> anyhow::Result<ExitCode> {
    match arguments.command {
        ToolCommand::List { preset, offering, model, root, json } => {
            let model = model.as_deref();
            list(&root, Offered { preset, offering: &offering, model }, json)
        }
        ToolCommand::Show { name, json } => show(&name, json),
        ToolCommand::Call { name, arguments, root, yes, sandbox, policy, json } => {
            let arguments = if arguments == "-" { input::text(Path::new("-"))? } else { arguments };
            let call = ToolCall::function(
                CallId::new("call_1")?,
                ToolName::new(name)?,
                Arguments::parse(arguments).context("the arguments are not a JSON object")?,
            );
            run(&call, &root, policy.as_deref(), Output { yes, sandbox, json }).await
        }
    }
}

struct Output {
    yes: bool,
    sandbox: SandboxName,
    json: bool,
}

fn list(root: &Path, offered: Offered<'_>, json: bool) -> anyhow::Result<ExitCode> {
    let root = setup::root(root)?;
    let mut toolbox = setup::toolbox_on(&Tape::none(), &root, None, offered, &Shell::unconfined())?;
    if let Some(mode) = &offered.offering.mode {
        let slug = &modes::find(toolbox.modes(), mode)?.slug;
        toolbox = toolbox.in_mode(slug)?;
    }
    for (spec, hints) in toolbox.offered() {
        if json {
            let group = toolbox.group(spec.name().as_str());
            let (name, description) = (spec.name(), spec.description());
            output::line(
                &json!({ "name": name, "group": group, "description": description, "hints": hints }),
            )?;
        } else {
            output::print(&format!("{:<24} {}\n", spec.name().as_str(), first_sentence(spec.description())))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first)
}

fn show(name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let toolbox =
        setup::toolbox(&setup::root(Path::new("."))?, None, PresetName::Full, &Shell::unconfined())?;
    let tool = toolbox
        .find(name)
        .with_context(|| format!("there is no tool {name}; `windlass tool list --preset full` lists them"))?;
    let (spec, hints) = (tool.spec(), tool.hints());
    if json {
        output::line(&json!({ "spec": spec, "hints": hints }))?;
    } else {
        let schema = match spec {
            ToolSpec::Function { parameters, .. } => serde_json::to_string_pretty(parameters)?,
            _ => "free text".to_owned(),
        };
        output::print(&format!("{}\n\n{}\n\n{schema}\n", spec.name(), spec.description()))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn run(call: &ToolCall, root: &Path, policy: Option<&Path>, how: Output) -> anyhow::Result<ExitCode> {
    let root = setup::root(root)?;
    let outputs = tempfile::tempdir().context("a folder for long outputs cannot be made")?;
    let toolbox =
        setup::toolbox(&root, Some(outputs.path()), PresetName::Full, &confine::shell(how.sandbox, policy)?)?;
    let checked = match toolbox.check(call).and_then(|checked| toolbox.inspect(checked)) {
        Ok(checked) => checked,
        Err(result) => return told(&result, None, how.json),
    };
    let redactor = Redactor::new(secrets::of_folder(&root));
    let has_secret = redactor.contains_secret_in_json(&call.payload.text());
    let facts = checked.facts.clone().with_secret(has_secret);
    let decision = decide(&policies::load(&root, policy)?, &Grants::default(), &Learned::default(), &facts);
    let (rule_id, reason) = (&decision.reason.rule_id, &decision.reason.text);
    match decision.verdict {
        Verdict::Deny => anyhow::bail!("policy denies this call: {reason} (rule {rule_id})"),
        Verdict::Ask if !how.yes => {
            anyhow::bail!("policy asks before this call: {reason} (rule {rule_id}); say yes with --yes")
        }
        Verdict::Ask | Verdict::Allow => {}
    }
    let cancellation = tokio_util::sync::CancellationToken::new();
    let ctx = Context::new(call.id.clone())
        .with_cancellation(cancellation.clone())
        .with_outputs(outputs.path())
        .with_redactor(redactor);
    let running = toolbox.run(&checked, &ctx);
    tokio::pin!(running);
    let result = tokio::select! {
        result = &mut running => result?,
        _ = tokio::signal::ctrl_c() => {
            cancellation.cancel();
            running.await?
        }
    };
    told(&result, Some(decision), how.json)
}

fn told(
    result: &windlass_protocol::ToolResult,
    decision: Option<windlass_hitl::Decision>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    if json {
        let decision: Option<RawJson> =
            decision.map(serde_json::to_value).transpose()?.map(|value| RawJson::from(&value));
        output::line(&json!({ "status": result.status, "content": result.content, "decision": decision }))?;
    } else {
        output::print(&format!("{}\n", result.wire_text()))?;
    }
    Ok(if result.status.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
