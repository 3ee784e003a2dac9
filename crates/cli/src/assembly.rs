//! Builds an agent from a run's settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
#[cfg(unix)]
use windlass_agent::{Agent, ApproveAll, Approver, ContextLimits, DenyAll, FileApprover, Limits, Unanswered};
use windlass_client::{Fallback, FallbackEvent};
use windlass_hitl::Policy;
use windlass_redact::Redactor;
use windlass_stream::Model;
use windlass_text_calls::Dialect;
use windlass_tool::Human;
use windlass_toolbox::Toolbox;
use windlass_tools_shell::Shell;

use crate::agents::OneClient;
use crate::answers::Answers;
use crate::arguments::{Approval, PresetName, Reach};
use crate::lessons::LessonFile;
use crate::mcp::{self, Connected, Servers};
use crate::nested::Nested;
use crate::own::Own;
use crate::runs::Settings;
use crate::setup::{Offered, Prepared};
use crate::tape::Tape;
use crate::terminal::{SayNo, Terminal};
use crate::{modes, output, policies, secrets, setup};

/// Parts of an agent: the run's settings, the options of this process, and the confinement of its tools.
pub(crate) struct Assembly<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) approval: &'a Approval,
    pub(crate) reach: &'a Reach,
    pub(crate) tape: &'a Tape,
    /// Starts the processes of tools, confined.
    pub(crate) shell: &'a Shell,
    /// Folder for outputs that are too long for the model.
    pub(crate) outputs: Option<PathBuf>,
    /// Stored answers to the questions of a suspended run.
    pub(crate) answers: Option<&'a Answers>,
    /// Sub-agents and workflows that the model can start.
    pub(crate) nested: Nested,
}

impl Assembly<'_> {
    /// Checks the settings by building the agent without starting any process.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        self.servers()?;
        let people = self.people()?;
        self.agent_with(self.tools(None)?.toolbox, people, &self.policy()?).map(drop)
    }

    /// Builds the agent. Connects the MCP servers first, also in a replay, which needs their definitions;
    /// only a live run starts the processes that serve tools.
    pub(crate) async fn agent(&self) -> anyhow::Result<Agent> {
        let mut people = self.people()?;
        let mut policy = self.policy()?;
        let connected = match self.servers()? {
            Some(servers) => {
                let (root, human) = (&self.settings.root, people.human.clone());
                let connected =
                    servers.connect(root, (self.shell, self.tape), human, self.redactor()?).await?;
                policy = servers.ruled(policy, &connected)?;
                // Only an answer of a person accepts an MCP tool for later runs; `--yes` does not.
                if !self.approval.yes {
                    people.approver = connected.accepted.heard_from(people.approver);
                }
                Some(connected)
            }
            None => None,
        };
        let tools = self.tools(connected.as_ref())?;
        let toolbox = if self.tape.is_live() { tools.served(self.tape).await } else { tools.toolbox };
        if let Some(connected) = connected {
            connected.keep();
        }
        self.agent_with(toolbox, people, &policy)
    }

    /// Returns the configured MCP servers, or `None` if the run does not use them or its folder does not
    /// exist. A replay connects them for the definitions of their tools, but takes the results of calls from
    /// the recording.
    fn servers(&self) -> anyhow::Result<Option<Servers>> {
        if !self.settings.servers || !self.settings.root.is_dir() {
            return Ok(None);
        }
        Ok(Some(Servers::of(&self.settings.root)?))
    }

    fn people(&self) -> anyhow::Result<People> {
        let mut people = people(self.approval, &self.settings.root)?;
        if let Some(answers) = self.answers {
            people.approver = Arc::new(answers.approver(people.approver));
        }
        Ok(people)
    }

    fn policy(&self) -> anyhow::Result<Policy> {
        let settings = self.settings;
        let policy = policies::load(&settings.root, settings.policy.as_deref())?;
        // A recording may have any name, and may be inside the root.
        let policy = Own::of(None).with_records(self.tape.file()).rule(policy, &settings.root);
        settings.offering.embeddings.reachable(policy)
    }

    fn tools(&self, servers: Option<&Connected>) -> anyhow::Result<Prepared> {
        let settings = self.settings;
        // A replay runs no tools, and the recorded folder may not exist any more, so an empty folder replaces
        // it.
        let stand_in =
            if self.tape.is_live() || settings.root.is_dir() { None } else { Some(tempfile::tempdir()?) };
        let folder = stand_in.as_ref().map_or(settings.root.as_path(), |folder| folder.path());
        let (client, model) = settings.provider.client(self.reach, self.tape)?;
        let offering = &settings.offering;
        let offered = Offered { preset: settings.preset, offering, model: Some(&model), servers };
        let mut tools = setup::prepare(self.tape, folder, self.outputs.as_deref(), offered, self.shell)?;
        let models = OneClient { client: Arc::new(client), prices: settings.budget.prices };
        tools.add(self.nested.tools(&tools.toolbox, models));
        if let Some(mode) = &offering.mode {
            modes::find(tools.toolbox.modes(), mode)?;
        }
        Ok(tools)
    }

    fn agent_with(&self, toolbox: Toolbox, people: People, policy: &Policy) -> anyhow::Result<Agent> {
        let settings = self.settings;
        let impatient = self.reach.impatient();
        // A run with fallbacks must not wait for its first provider.
        let reach = if settings.fallbacks.is_empty() { self.reach } else { &impatient };
        let (client, model) = settings.provider.client(reach, self.tape)?;
        let capabilities = client.capabilities(&model).capabilities();
        let People { approver, human, unanswered } = people;
        let window = match settings.context_window {
            // A replay must use the recorded context window, not today's facts about the model.
            0 if self.tape.is_live() => client.context_tokens(&model).unwrap_or_default(),
            window => window,
        };
        let mut builder = Agent::builder()
            .model(self.with_fallbacks(Arc::new(client), &model)?, model)
            .toolbox(toolbox)
            .capabilities(capabilities)
            .policy(policy.clone())
            .mode(settings.autonomy.mode())
            .root(settings.root.display().to_string())
            .system(system_prompt(&settings.root, settings))
            .limits(Limits { turns: settings.max_turns, ..Limits::default() })
            .redactor(self.redactor()?)
            .budget(settings.budget.clone())
            .context(ContextLimits { window, ..ContextLimits::default() })
            .unanswered(unanswered)
            .approver(self.tape.approver(approver));
        if let Some(mode) = &settings.offering.mode {
            builder = builder.work_mode(mode);
        }
        // Only answers of a person at the terminal are learned, not those of a switch or of a recording.
        if human.is_some() && !self.tape.is_used() && (self.approval.learn || mcp::learns()?) {
            let file = LessonFile::of(&settings.root, policy)?;
            match file.load() {
                Ok(learned) => builder = builder.learned_in(learned, file),
                // Without learned permissions policy asks more often, never less.
                Err(error) => output::note(&format!("{error:#}; nothing is learned, and no lesson counts")),
            }
        }
        if let Some(protocol) = settings.protocol {
            builder = builder.protocols([protocol]);
        }
        if let Some(name) = &settings.dialect {
            builder = builder.dialect(name.parse::<Dialect>()?);
        }
        if let Some(human) = self.tape.human(human) {
            builder = builder.human(human);
        }
        Ok(builder.build()?)
    }
}

impl Assembly<'_> {
    /// Redactor for all secrets of the run. A replay gets an empty one: the recording was redacted when it
    /// was written.
    fn redactor(&self) -> anyhow::Result<Redactor> {
        if !self.tape.is_live() {
            return Ok(Redactor::default());
        }
        let mut secrets = secrets::of_run(self.settings, self.reach)?;
        if let Some(servers) = self.servers()? {
            secrets.extend(servers.secrets());
        }
        Ok(Redactor::new(secrets))
    }

    /// Returns the model followed by its fallbacks. Each model but the last one is used without waiting for
    /// its provider.
    fn with_fallbacks(&self, first: Arc<dyn Model>, name: &str) -> anyhow::Result<Arc<dyn Model>> {
        if self.settings.fallbacks.is_empty() {
            return Ok(first);
        }
        let mut models = Fallback::new(first, name);
        let impatient = self.reach.impatient();
        let last = self.settings.fallbacks.len().saturating_sub(1);
        for (position, provider) in self.settings.fallbacks.iter().enumerate() {
            let reach = if position == last { self.reach } else { &impatient };
            let (client, name) = provider.client(reach, self.tape)?;
            models = models.or(Arc::new(client), name);
        }
        Ok(Arc::new(models.on_event(|event| {
            if let FallbackEvent::Next { model, error, .. } = event {
                output::note(&format!("{model} has no answer: {error}; the next one is asked"));
            }
        })))
    }
}

/// Approver of calls, human who answers questions of tools, and the policy for unanswered questions.
struct People {
    approver: Arc<dyn Approver>,
    human: Option<Arc<dyn Human>>,
    unanswered: Unanswered,
}

impl People {
    fn alone(approver: impl Approver + 'static, unanswered: Unanswered) -> Self {
        Self { approver: Arc::new(approver), human: None, unanswered }
    }
}

/// Chooses the approver by the options: a folder, `--yes`, `--deny`, or the terminal. Without any of them,
/// questions stay open and the run is suspended.
fn people(approval: &Approval, root: &Path) -> anyhow::Result<People> {
    #[cfg(unix)]
    if let Some(folder) = &approval.approve_in {
        return Ok(People::alone(in_folder(folder, root)?, Unanswered::Deny));
    }
    #[cfg(not(unix))]
    let _ = root;
    if approval.yes {
        return Ok(People::alone(ApproveAll, Unanswered::Deny));
    }
    if approval.deny {
        return Ok(People::alone(SayNo, Unanswered::Deny));
    }
    if !approval.suspend && (approval.ask || Terminal::is_there()) {
        let terminal = Terminal::new();
        let (approver, human) = (Arc::new(terminal.clone()), Some(Arc::new(terminal) as Arc<dyn Human>));
        return Ok(People { approver, human, unanswered: Unanswered::Deny });
    }
    Ok(People::alone(DenyAll, Unanswered::Suspend))
}

/// Opens a folder in which another program answers. Fails if the folder and the root contain each other:
/// tools that can write to the folder could approve their own calls.
#[cfg(unix)]
fn in_folder(folder: &Path, root: &Path) -> anyhow::Result<FileApprover> {
    // The folder itself may be new, its parent must exist: otherwise a typing error would create a folder
    // that no program watches.
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    anyhow::ensure!(
        folder.is_dir() || parent.is_dir(),
        "--approve-in {}: there is no folder {}; make it first",
        folder.display(),
        parent.display()
    );
    let approver = FileApprover::open(folder)?;
    let place = folder.canonicalize().with_context(|| format!("{} cannot be opened", folder.display()))?;
    anyhow::ensure!(
        !place.starts_with(root) && !root.starts_with(&place),
        "--approve-in {}: the agent's tools reach this folder, so they could say yes; take one outside of {}",
        folder.display(),
        root.display()
    );
    Ok(approver.on_refusal(|refused| output::note(&format!("{refused}"))))
}

fn system_prompt(root: &Path, settings: &Settings) -> String {
    let done = match settings.preset {
        // A mode of work has `attempt_completion` in every preset.
        PresetName::Minimal if settings.offering.mode.is_none() => {
            "When the task is done, say so in words without calling a tool."
        }
        _ => "When the task is done and checked, call attempt_completion, alone.",
    };
    format!(
        "You are a careful coding agent working in the folder {}. All paths are relative to it; nothing outside \
         can be touched. Look before you change, change as little as the task needs, and check what you changed \
         by running it where that is possible. A human may have to approve a call; if one is denied, do not try \
         to get the same in another way. {done}",
        root.display()
    )
}
