//! Windlass: the agent with a client, a toolbox of one tool and a policy that allows writing files.

use std::cell::RefCell;
use std::sync::Arc;

use futures_util::StreamExt;
use windlass_agent::{Agent, AgentBuilder, Event, RunLimits, Outcome, RunOptions};
use windlass_client::{Client, Endpoint, Options};
use windlass_hitl::Autonomy;
use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
use windlass_tool::{Output, Tool};
use windlass_tool_args::read_arguments;
use windlass_toolbox::{CallbackTool, Preset, ToolConfig, Toolbox};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_openai_chat::OpenAiChat;

use super::{DESCRIPTION, NAME, SYSTEM, TASK, Watch, WriteFile, schema};

/// Creates an agent with this tool.
pub fn agent(base: &str, model: &str, tool: Arc<dyn Tool>) -> Result<AgentBuilder, String> {
    let endpoint = Endpoint::custom(format!("{base}/v1"), "openai-chat");
    thread_local!(static ONCE: RefCell<Option<(String, Client)>> = const { RefCell::new(None) });
    let known = ONCE.with_borrow(|once| once.clone()).filter(|(known, _)| known == base);
    let client = match known {
        Some((_, client)) => client,
        None => {
            Client::new(endpoint, Some("key".into()), Arc::new(OpenAiChat::default()), Options::default())
                .map_err(|error| error.to_string())?
        }
    };
    ONCE.set(Some((base.to_owned(), client.clone())));
    agent_of(client, model, tool)
}

/// Creates an agent that uses the Anthropic format of the mock.
pub fn anthropic_agent(base: &str, model: &str, tool: Arc<dyn Tool>) -> Result<AgentBuilder, String> {
    let endpoint = Endpoint::custom(base, "anthropic");
    let wire = Arc::new(Anthropic::default());
    let client = Client::new(endpoint, Some("key".into()), wire, Options::default());
    agent_of(client.map_err(|error| error.to_string())?, model, tool)
}

fn agent_of(client: Client, model: &str, tool: Arc<dyn Tool>) -> Result<AgentBuilder, String> {
    let toolbox = Toolbox::builder().tools([tool]).config(ToolConfig::new(Preset::Full)).build();
    Ok(Agent::builder()
        .model(client, model)
        .toolbox(toolbox.map_err(|error| error.to_string())?)
        .autonomy(Autonomy::AutoEdit)
        .root("/")
        .limits(RunLimits { turns: u32::MAX, ..RunLimits::default() })
        .system(SYSTEM))
}

/// Creates the tool that all peers have.
pub fn write_file(watch: &Watch) -> Result<Arc<dyn Tool>, String> {
    let schema = schema().to_string().parse().map_err(|_| "the schema is JSON")?;
    let name = ToolName::new(NAME).map_err(|error| error.to_string())?;
    let watch = watch.clone();
    let tool =
        CallbackTool::new(ToolSpec::function(name, DESCRIPTION, schema), move |_, payload: Payload| {
            let watch = watch.clone();
            async move {
                let arguments: WriteFile = read_arguments(&payload)?;
                Ok(Output::text(watch.call(&arguments)))
            }
        });
    let hints = Hints::default();
    Ok(Arc::new(
        tool.with_hints(hints)
            .with_effects(|_| vec![Effect::Write { path: "src/file.rs".into(), bytes: None }]),
    ))
}

pub async fn converse(base: String, model: String, watch: Watch) -> Result<(), String> {
    // Held conversations never reach their tool, so one agent can serve all of them.
    thread_local!(static SHARED: RefCell<Option<Agent>> = const { RefCell::new(None) });
    let shared = SHARED.with_borrow(Clone::clone).filter(|_| watch.hold_after > 0);
    let agent = match shared {
        Some(agent) => agent,
        None => agent(&base, &model, write_file(&watch)?)?.build().map_err(|error| error.to_string())?,
    };
    SHARED.set(Some(agent.clone()));
    converse_with(&agent, RunOptions::default(), &watch).await
}

/// Reads all events of a run.
pub async fn converse_with(agent: &Agent, options: RunOptions, watch: &Watch) -> Result<(), String> {
    let mut events = agent.stream_with(TASK, options);
    let mut outcome = None;
    while let Some(event) = events.next().await {
        match event.map_err(|error| error.to_string())? {
            Event::CallArguments { .. } => watch.delta().await,
            Event::Finished { outcome: ended, .. } => outcome = Some(ended),
            _ => {}
        }
    }
    match outcome {
        Some(Outcome::Completed { .. }) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
