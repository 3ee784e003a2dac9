//! The agent for editors.

use clap::Args;

use super::ServedRun;

#[derive(Debug, Args)]
#[command(
    mut_arg("root", |root| root.hide(true)),
    after_help = "An editor starts this command; it speaks the protocol over standard input and output. Example, in the settings of Zed:\n\
  {\"agent_servers\": {\"Windlass\": {\"type\": \"custom\", \"command\": \"windlass\",\n\
    \"args\": [\"acp\", \"--model\", \"gpt-5-mini\"], \"env\": {\"OPENAI_API_KEY\": \"...\"}}}}\n\
Example: windlass acp --model gpt-5-mini\n\
Example: windlass acp --model gpt-5-mini --autonomy auto-edit --ignore-client-servers"
)]
pub(crate) struct Acp {
    /// Ignore the MCP servers that the editor passes, so that runs use the configured servers only.
    #[arg(long)]
    pub(crate) ignore_client_servers: bool,
    #[command(flatten)]
    pub(crate) run: ServedRun,
}
