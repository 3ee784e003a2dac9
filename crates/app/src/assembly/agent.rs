//! Builds an agent from a run's settings.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_agent::{Agent, Approver, ContextLimits, RunLimits};
use windlass_client::{Fallback, FallbackEvent};
use windlass_hitl::Policy;
use windlass_redact::Redactor;
use windlass_sandbox::EditorFiles;
use windlass_stream::Model;
use windlass_text_calls::Dialect;
use windlass_toolbox::Toolbox;
use windlass_tools_shell::Shell;

use super::answer_form::{AnswerForm, CORRECTIONS};
use super::find_mode;
use super::people::People;
use super::run_hooks::prepare_hooks;
use super::toolbox::{OfferedServers, PreparedTools, ToolPlan, prepare_tools};
use crate::agents::{ChildRuns, RunModel};
use crate::app::App;
use crate::config::RunSettings;
use crate::error::{Result, one_line};
use crate::hooks::FileHooks;
use crate::instructions::compose_prompt;
use crate::mcp::{ConfiguredServer, ConnectedServers, RunServers, is_learning_enabled};
use crate::policies::{LessonFile, ProtectedPaths, load_policy};
use crate::providers::{ProviderOptions, add_reachable};
use crate::runs::{LiveAnswers, LiveGuidance, Recording, RunAnswers, RunFolder};
use crate::secrets::collect_run_secrets;
use crate::sessions::link::SessionLink;

/// The parts of an agent: the run's settings, the people, the options of this process, and the shell that
/// starts the processes of tools.
///
/// [`Session`](crate::runs::Session) starts and resumes runs with their records. Use this type for an agent
/// whose runs are kept elsewhere.
#[derive(Debug)]
pub struct Assembly<'a> {
    app: &'a App,
    settings: &'a RunSettings,
    people: People,
    providers: &'a ProviderOptions,
    shell: &'a Shell,
    recording: &'a Recording,
    /// Folder for outputs that are too long for the model.
    outputs: Option<PathBuf>,
    /// Record of the run, whose path hooks receive.
    journal: Option<PathBuf>,
    /// Sub-agents and workflows that the model can start.
    children: ChildRuns,
    /// MCP servers of the session, besides the configured ones.
    servers: &'a [ConfiguredServer],
    /// The editor that has files of the session's folder open.
    editor: Option<&'a Arc<dyn EditorFiles>>,
}

impl<'a> Assembly<'a> {
    /// Creates the parts of an agent. With a folder, long outputs and the journals of sub-agents are stored
    /// there, otherwise in memory.
    ///
    /// # Errors
    ///
    /// Fails if a definition of the user is invalid.
    pub fn new(
        app: &'a App,
        settings: &'a RunSettings,
        people: &People,
        providers: &'a ProviderOptions,
        shell: &'a Shell,
        folder: Option<&RunFolder>,
    ) -> Result<Self> {
        static OFF: Recording = Recording::none();
        let mut people = people.clone();
        // An approval of everything waits for nothing.
        if let Some(folder) = folder.filter(|_| people.accepts_tools) {
            let windows = &people.windows;
            people.approver = Arc::new(LiveAnswers::new(people.approver, folder, windows));
            let live =
                |human| Arc::new(LiveGuidance::new(human, people.guidance.clone(), folder, windows)) as _;
            people.human = people.human.map(live);
        }
        Ok(Self {
            app,
            settings,
            people,
            providers,
            shell,
            recording: &OFF,
            outputs: folder.map(RunFolder::outputs),
            journal: folder.map(RunFolder::journal),
            children: ChildRuns::load(app, settings, folder)?,
            servers: &[],
            editor: None,
        })
    }

    /// Adds the MCP servers and the editor of the session.
    pub(crate) fn with_link(self, link: &'a SessionLink) -> Self {
        Self { servers: &link.servers, editor: link.editor.as_ref(), ..self }
    }

    /// Sets the recording that the run writes or replays.
    pub(crate) fn with_recording(self, recording: &'a Recording) -> Self {
        Self { recording, ..self }
    }

    /// Adds stored answers, which are given before the approver is asked.
    pub fn with_answers(mut self, answers: &RunAnswers) -> Self {
        self.people.approver = Arc::new(answers.approver(self.people.approver));
        self
    }

    /// Adds the tools of sub-agents even if no feature offers them.
    #[cfg(feature = "workflow")]
    pub(crate) fn with_agents(mut self) -> Self {
        self.children.offer_agents();
        self
    }

    /// Checks the settings by building the agent without starting any process.
    ///
    /// # Errors
    ///
    /// Fails if a setting cannot be used.
    pub fn check(&self) -> Result<()> {
        self.load_servers()?;
        let tools = self.prepare_tools(None)?;
        let approver = self.recording.approver(self.people.approver.clone());
        let people = People { approver, ..self.people.clone() };
        self.build_with(tools.toolbox, people, None, &self.load_policy()?).map(drop)
    }

    /// Builds the agent. Connects the MCP servers first; in a replay they answer from the recording. Only a live
    /// run starts processes.
    ///
    /// # Errors
    ///
    /// Fails if a setting cannot be used, or if a required MCP server fails.
    pub async fn build(&self) -> Result<Agent> {
        let mut people = self.people.clone();
        let mut policy = self.load_policy()?;
        let mut connected = None;
        if let Some(servers) = self.load_servers()? {
            let (root, parts) = (&self.settings.root, (self.shell, self.recording));
            let servers_of_run = servers.connect(self.app, root, parts, &people, self.redactor()?).await?;
            policy = servers.add_rules(policy, &servers_of_run)?;
            // Only an answer of a person accepts an MCP tool for later runs.
            if servers.accepts_tools(&people) {
                people.approver = self.wrap_approver(people.approver, &servers_of_run);
            } else {
                people.approver = self.recording.approver(people.approver);
            }
            connected = Some(servers_of_run);
        } else {
            people.approver = self.recording.approver(people.approver);
        }
        let offered = connected.as_ref().map(ConnectedServers::offer);
        let tools = self.prepare_tools(offered.as_ref())?;
        let toolbox = if self.recording.is_live() { tools.start_processes().await } else { tools.toolbox };
        if let Some(connected) = connected {
            connected.keep_alive();
        }
        let hooks = if self.recording.is_live() {
            prepare_hooks(self.app, self.settings, self.shell, self.journal.clone(), &mut people)?
        } else {
            // A replay starts no program.
            None
        };
        self.build_with(toolbox, people, hooks, &policy)
    }

    /// Wraps the approver of a run, so that an approval of an MCP tool also accepts its definition. In a replay the
    /// recorded decisions accept, otherwise those of the person.
    fn wrap_approver(&self, approver: Arc<dyn Approver>, servers: &ConnectedServers) -> Arc<dyn Approver> {
        if self.recording.is_live() {
            self.recording.approver(servers.wrap_approver(approver))
        } else {
            servers.wrap_approver(self.recording.approver(approver))
        }
    }

    /// Returns the configured MCP servers and those of the session, or `None` if the run uses neither or its folder
    /// does not exist. A replay gets the servers of the recorded run, which answer from the recording.
    fn load_servers(&self) -> Result<Option<RunServers>> {
        if self.settings.servers && !self.recording.is_live() {
            return RunServers::load_recorded(self.app, &self.settings.root, self.recording);
        }
        let uses_configured = self.settings.servers;
        if (!uses_configured && self.servers.is_empty()) || !self.settings.root.is_dir() {
            return Ok(None);
        }
        let servers = if uses_configured {
            RunServers::load(self.app, &self.settings.root)?
        } else {
            RunServers::empty()
        };
        Ok(Some(servers.with_session_servers(self.app, self.servers)))
    }

    fn load_policy(&self) -> Result<Policy> {
        let settings = self.settings;
        let policy = load_policy(self.app, &settings.root, settings.policy.as_deref())?;
        // A recording may have any name, and may be inside the root.
        let protected = ProtectedPaths::new(self.app, None).with_records(self.recording.file());
        add_reachable(&settings.offering.embeddings, protected.add_rules(policy, &settings.root))
    }

    fn prepare_tools(&self, servers: Option<&OfferedServers>) -> Result<PreparedTools> {
        let (settings, recording) = (self.settings, self.recording);
        // A replay runs no tools, and the recorded folder may not exist any more, so an empty folder replaces
        // it.
        let has_root = recording.is_live() || settings.root.is_dir();
        let stand_in = if has_root { None } else { Some(tempfile::tempdir()?) };
        let folder = stand_in.as_ref().map_or(settings.root.as_path(), |folder| folder.path());
        let (client, model) = settings.provider.run_client(self.app, self.providers, recording)?;
        let offering = &settings.offering;
        let mut plan = ToolPlan::new(settings.preset, offering).with_model(Some(&model));
        plan.outputs = self.outputs.as_deref();
        plan.servers = servers;
        // A replay runs no tools.
        plan.editor = self.editor.filter(|_| recording.is_live());
        let mut tools = prepare_tools(self.app, recording, folder, plan, self.shell)?;
        let model = RunModel { client: Arc::new(client), prices: settings.budget.prices };
        tools.add(self.children.tools(self.app, &tools.toolbox, model));
        if let Some(mode) = &offering.mode {
            find_mode(tools.toolbox.modes(), mode)?;
        }
        Ok(tools)
    }

    /// Builds the agent from these parts. The approver already records or replays its decisions.
    fn build_with(
        &self,
        toolbox: Toolbox,
        people: People,
        hooks: Option<FileHooks>,
        policy: &Policy,
    ) -> Result<Agent> {
        let settings = self.settings;
        let hasty = self.providers.with_no_retries();
        // A run with fallbacks must not wait for its first provider.
        let options = if settings.fallbacks.is_empty() { self.providers } else { &hasty };
        let (client, model) = settings.provider.run_client(self.app, options, self.recording)?;
        // A recording's client starts without stored facts, so a replay has the recorded window.
        let mut builder = Agent::builder()
            .model(self.add_fallbacks(Arc::new(client), &model)?, model)
            .toolbox(toolbox)
            .policy(policy.clone())
            .autonomy(settings.autonomy)
            .root(settings.root.display().to_string())
            .system(compose_prompt(&settings.root, settings))
            .limits(limits(settings, self.providers))
            .redactor(self.redactor()?)
            .ends_with_text(!settings.until_done)
            .budget(settings.budget.clone())
            .request_options(settings.request.clone())
            .context(context_limits(settings))
            .on_unanswered(people.unanswered)
            .approver(people.approver);
        if let Some(mode) = &settings.offering.mode {
            builder = builder.work_mode(mode);
        }
        // Only answers of a person are learned, not those that a command-line option or a recording gives.
        let may_learn = people.human.is_some() && !self.recording.is_used();
        if may_learn && (people.learns || is_learning_enabled(self.app)?) {
            let file = LessonFile::new(self.app, &settings.root, policy)?;
            match file.load() {
                Ok(learned) => builder = builder.approval_history_in(learned, file),
                // Without learned permissions policy asks more often, never less.
                Err(error) => {
                    self.app.inform(format!(
                        "{}; learning is off for this run, and learned permissions are \
                         ignored",
                        one_line(&error)
                    ));
                }
            }
        }
        if let Some(protocol) = settings.protocol {
            builder = builder.protocols([protocol]);
        }
        if let Some(name) = &settings.dialect {
            builder = builder.dialect(name.parse::<Dialect>()?);
        }
        if let Some(human) = self.recording.human(people.human) {
            builder = builder.human(human);
        }
        if let Some(schema) = AnswerForm::new(settings)? {
            builder = builder.hook(schema.hook()).answer_corrections(CORRECTIONS);
        }
        if let Some(hooks) = hooks {
            builder = builder.hook_timeout(hooks.timeout());
            builder = if hooks.may_permit() { builder.owner_hook(hooks) } else { builder.hook(hooks) };
        }
        Ok(builder.build()?)
    }

    /// Returns the redactor for all secrets of the run. A replay gets an empty one: the recording was redacted
    /// when it was written.
    fn redactor(&self) -> Result<Redactor> {
        if !self.recording.is_live() {
            return Ok(Redactor::default());
        }
        let mut secrets = collect_run_secrets(self.app, self.settings, self.providers)?;
        if let Some(servers) = self.load_servers()? {
            secrets.extend(servers.secrets());
        }
        Ok(Redactor::new(secrets))
    }

    /// Returns the model followed by its fallbacks. Each model but the last one is used without waiting for
    /// its provider.
    fn add_fallbacks(&self, first: Arc<dyn Model>, name: &str) -> Result<Arc<dyn Model>> {
        if self.settings.fallbacks.is_empty() {
            return Ok(first);
        }
        let mut models = Fallback::new(first, name);
        let hasty = self.providers.with_no_retries();
        let last = self.settings.fallbacks.len().saturating_sub(1);
        for (position, provider) in self.settings.fallbacks.iter().enumerate() {
            let options = if position == last { self.providers } else { &hasty };
            let (client, name) = provider.run_client(self.app, options, self.recording)?;
            models = models.or(Arc::new(client), name);
        }
        let notices = self.app.notices().clone();
        Ok(Arc::new(models.on_event(move |event| {
            if let FallbackEvent::Next { model, error, .. } = event {
                notices.inform(format!("{model} failed: {error}; trying the next model"));
            }
        })))
    }
}

/// Returns the limits of a run. The user's number of retries also limits the repeated requests for a broken answer.
fn limits(settings: &RunSettings, providers: &ProviderOptions) -> RunLimits {
    let limits = RunLimits { turns: settings.max_turns, cost: settings.max_cost, ..RunLimits::default() };
    let retries = providers.retries.map(|retries| u32::try_from(retries).unwrap_or(u32::MAX));
    RunLimits { stream_retries: retries.unwrap_or(limits.stream_retries), ..limits }
}

fn context_limits(settings: &RunSettings) -> ContextLimits {
    let (window, compact_first) = (settings.context_window, settings.compact_first);
    ContextLimits { window, compact_first, ..ContextLimits::default() }
}
