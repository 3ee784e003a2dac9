//! rig: its agent, streamed over several turns.

use std::cell::RefCell;
use std::convert::Infallible;

use futures_util::StreamExt;
use rig_agent::AgentBuilder;
use rig_agent::agent::{Agent, MultiTurnStreamItem};
use rig_core::providers::openai::OpenAIConfig;
use rig_core::streaming::{Item, StreamEvent};
use rig_core::tool::PortableTool;

use super::{DESCRIPTION, NAME, SYSTEM, TASK, Watch, WriteFile, schema};

struct Writing(Watch);

impl PortableTool for Writing {
    const NAME: &'static str = NAME;
    type Args = WriteFile;
    type Output = String;
    type Error = Infallible;

    fn description(&self) -> String {
        DESCRIPTION.to_owned()
    }

    fn parameters(&self) -> serde_json::Value {
        schema()
    }

    async fn call(&self, arguments: WriteFile) -> Result<String, Infallible> {
        Ok(self.0.call(&arguments).to_owned())
    }
}

pub async fn converse(base: String, model: String, watch: Watch) -> Result<(), String> {
    // Held conversations share one agent, as for windlass.
    thread_local!(static SHARED: RefCell<Option<Agent>> = const { RefCell::new(None) });
    let agent = match SHARED.with_borrow(Clone::clone).filter(|_| watch.hold_after > 0) {
        Some(agent) => agent,
        None => {
            let mut config = OpenAIConfig::new("key");
            config.base_url = format!("{base}/v1");
            let builder = AgentBuilder::new(config.client().chat(model)).preamble(SYSTEM);
            builder.tool(Writing(watch.clone())).build()
        }
    };
    SHARED.set(Some(agent.clone()));
    let mut stream = agent.prompt(TASK).max_turns(usize::MAX / 2).stream();
    while let Some(item) = stream.next().await {
        if let MultiTurnStreamItem::StreamAssistantItem(Item::Event(StreamEvent::Arguments { .. })) =
            item.map_err(|error| error.to_string())?
        {
            watch.delta().await;
        }
    }
    Ok(())
}
