//! The agent for editors.

use clap::Args;

use super::Run;

#[derive(Debug, Args)]
#[command(
    mut_arg("task", |_| clap::Arg::new("task").long("task").hide(true)),
    mut_arg("root", |root| root.hide(true)),
    mut_arg("resume", |resume| resume.hide(true)),
    mut_arg("salvage", |salvage| salvage.hide(true)),
    mut_arg("record", |record| record.hide(true)),
    mut_arg("replay", |replay| replay.hide(true)),
    mut_arg("json", |json| json.hide(true)),
    mut_arg("yes", |yes| yes.hide(true)),
    mut_arg("ask", |ask| ask.hide(true)),
    mut_arg("deny", |deny| deny.hide(true)),
    mut_arg("suspend", |suspend| suspend.hide(true)),
    after_help = "An editor starts this command; it speaks the protocol over standard input and output. Settings of Zed:\n\
  {\"agent_servers\": {\"Windlass\": {\"type\": \"custom\", \"command\": \"windlass\",\n\
    \"args\": [\"acp\", \"--model\", \"gpt-5-mini\"], \"env\": {\"OPENAI_API_KEY\": \"...\"}}}}\n\
Example: windlass acp --model gpt-5-mini\n\
Example: windlass acp --model gpt-5-mini --autonomy auto-edit --ignore-client-servers"
)]
pub(crate) struct Acp {
    /// Ignore the MCP servers that the editor passes. Without it, a session with such servers is refused: runs use
    /// the configured servers only.
    #[arg(long)]
    pub(crate) ignore_client_servers: bool,
    #[command(flatten)]
    pub(crate) run: Run,
}
