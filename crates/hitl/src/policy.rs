//! Policies: compiled rules and constraints.

mod arguments;
mod banned;
mod check;
mod custom;
mod epoch;
mod error;
mod fence;
mod glob;
mod host;
mod loader;
mod matcher;
mod starts;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_protocol::{Payload, ToolName};

pub use check::Objection;
pub use error::PolicyError;
pub(crate) use fence::{Breach, Fence};
pub(crate) use matcher::CompiledRule;

use self::check::CodeRules;
use self::loader::Loader;
use crate::links::LinkResolver;
use crate::own::{OwnPlace, OwnPlaces};
use crate::part::Part;
use crate::{Action, EffectKind, Rule, RuleFile, RuleLink, Source, place};

/// Compiled rules and constraints from all sources.
///
/// [`Policy::default`] has the built-in rules, and [`with_file`](Self::with_file) adds the rules of an
/// administrator, a user or a project. [`decide`](crate::decide) evaluates the policy.
///
/// ```
/// use windlass_hitl::{Action, EffectKind, Policy, Rule, RuleFile, Source};
/// let mut file = RuleFile::default();
/// file.rules.push(Rule::new("docs", Action::Allow).with_effect(EffectKind::Write).with_path("docs/**"));
/// let policy = Policy::default().with_file(Source::User, file.clone())?;
/// // A project's file can tighten, never loosen (RULES H11).
/// assert!(Policy::default().with_file(Source::Project, file).is_err());
/// # Ok::<(), windlass_hitl::PolicyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    /// The rules. A copy of the policy shares them, because each compiled glob has a cache of its own.
    pub(crate) rules: Vec<Arc<CompiledRule>>,
    pub(crate) fences: Vec<Fence>,
    reachable: Vec<(String, u16)>,
    own: OwnPlaces,
    links: LinkResolver,
    code: CodeRules,
    warnings: Vec<String>,
}

impl Default for Policy {
    /// Creates a policy with the built-in rules only: reading inside the workspace and internal effects are
    /// allowed.
    fn default() -> Self {
        let allow = |id: &str, effect| {
            let rule = Rule::new(id, Action::Allow).with_effect(effect);
            Arc::new(CompiledRule::builtin(rule, Source::Builtin))
        };
        Self {
            rules: vec![allow("b.read", EffectKind::Read), allow("b.internal", EffectKind::Internal)],
            fences: Vec::new(),
            reachable: Vec::new(),
            own: OwnPlaces::default(),
            links: LinkResolver::default(),
            code: CodeRules::default(),
            warnings: Vec::new(),
        }
    }
}

impl Policy {
    /// Adds the rules and constraints of a file.
    ///
    /// # Errors
    /// If a glob or a host cannot be parsed, an id is taken, an example contradicts its rule, a project's
    /// file has an allow rule, or the policy becomes too large. The whole file is refused then.
    pub fn with_file(mut self, source: Source, file: RuleFile) -> Result<Self, PolicyError> {
        Loader::new(&mut self, source, &file)?.load(file)?;
        Ok(self)
    }

    /// Returns the number of rules and constraints.
    pub(crate) fn count(&self) -> usize {
        self.rules.len().saturating_add(self.fences.len())
    }

    /// Adds a rule that asks about every call, for a policy file that could not be read: the file might have
    /// denied anything (SECURITY "Load errors").
    pub fn with_rejected(mut self, source: Source) -> Self {
        let mut rule = Rule::new("p.rejected_policy", Action::Ask);
        rule.reason = Some("a policy file could not be read, so everything is asked".to_owned());
        self.rules.push(Arc::new(CompiledRule::builtin(rule, source)));
        self
    }

    /// Permits a private address: connections to exactly this host and port are decided like public ones. It
    /// is meant for a program with its own local service, and can be set only in code, not in a policy file.
    pub fn with_reachable(mut self, host: impl Into<String>, port: u16) -> Self {
        self.reachable.push((host.into().to_lowercase(), port));
        self
    }

    pub(crate) fn is_reachable(&self, host: &str, port: u16) -> bool {
        self.reachable.iter().any(|(known, open)| known.eq_ignore_ascii_case(host) && *open == port)
    }

    /// Protects a file of the program itself, or a folder with everything below it. No call can read, change
    /// or remove it, and no rule, grant or mode lifts this.
    ///
    /// The path is compared with the paths of effects and with the targets of links in them. Add one path for
    /// each way in which an effect can name the place: relative to the workspace if it lies inside, absolute,
    /// and with `~` for the home folder.
    ///
    /// ```
    /// use windlass_hitl::{OwnPlace, Policy, deny_early};
    /// use windlass_protocol::{Effect, ToolName};
    ///
    /// let policy = Policy::default().with_own(OwnPlace::State, ".local/state/windlass");
    /// let read = [Effect::Read { path: ".local/state/windlass/mcp/tokens/a.json".into() }];
    /// let reason = deny_early(&policy, &ToolName::new("read_file")?, &read);
    /// assert_eq!(reason.map(|reason| reason.rule_id), Some("f.own_grants".into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_own(mut self, kind: OwnPlace, path: &str) -> Self {
        self.own.push(kind, path);
        self
    }

    /// Sets the function that follows links in the workspace. `resolve` takes a path relative to the
    /// workspace and returns its target, or `None` if the target lies outside or is unknown. Without this
    /// function a rule that names a link applies to the link's name only.
    ///
    /// ```
    /// use windlass_hitl::{Action, Policy, Rule, RuleFile, RuleLink, Source};
    /// let mut file = RuleFile::default();
    /// file.rules.push(Rule::new("no", Action::Deny).with_path("pub/**"));
    /// let policy = Policy::default().with_file(Source::User, file)?;
    /// let policy = policy.with_link_resolver(|path| Some(path.replace("pub", "private")));
    /// assert_eq!(policy.resolve_links(), [RuleLink::new("pub", "private")]);
    /// # Ok::<(), windlass_hitl::PolicyError>(())
    /// ```
    pub fn with_link_resolver(
        mut self,
        resolve: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.links = LinkResolver::new(resolve);
        self
    }

    /// Returns the current links on the paths of deny rules, ask rules and blocked globs, for
    /// [`PolicyInput::with_links`](crate::PolicyInput::with_links). Call it for each call, because links can change. It
    /// reads the disk through the function of [`with_link_resolver`](Self::with_link_resolver).
    pub fn resolve_links(&self) -> Vec<RuleLink> {
        if self.links.is_missing() {
            return Vec::new();
        }
        let rules = self.rules.iter().flat_map(|rule| rule.starts());
        let starts: BTreeSet<String> = rules.chain(self.fences.iter().flat_map(Fence::starts)).collect();
        starts.iter().filter_map(|path| self.links.follow(path)).collect()
    }

    /// Returns the program's own place that a part of a call reaches, if any.
    pub(crate) fn own_reached(&self, part: &Part<'_>) -> Option<OwnPlace> {
        self.own.find_reached(part).or_else(|| {
            let writes = !part.effect.is_read();
            part.effect.path().filter(|path| writes && place::is_own(path)).map(|_| OwnPlace::Settings)
        })
    }

    /// Returns the policy without the rules whose conditions about arguments a payload does not match. The
    /// payload is `None` while the arguments still arrive.
    pub(crate) fn for_payload(&self, payload: Option<&Payload>) -> Cow<'_, Self> {
        if !self.rules.iter().any(|rule| rule.has_arguments()) {
            return Cow::Borrowed(self);
        }
        let mut policy = self.clone();
        policy.rules.retain(|rule| rule.fits_arguments(payload));
        Cow::Owned(policy)
    }

    /// Returns the part of the policy that can refuse a path which a call of this tool finds.
    pub(crate) fn path_rules_for(&self, tool: &ToolName) -> Self {
        let rules = self.rules.iter().filter(|rule| rule.is_about_paths(tool));
        let fences = self.fences.iter().filter(|fence| fence.is_about_paths());
        Self {
            rules: rules.cloned().collect(),
            fences: fences.cloned().collect(),
            reachable: Vec::new(),
            own: self.own.clone(),
            links: LinkResolver::default(),
            code: CodeRules::default(),
            warnings: Vec::new(),
        }
    }

    /// Returns whether the policy refuses nothing besides the floor, which every policy has.
    pub(crate) fn is_open(&self) -> bool {
        self.rules.is_empty() && self.fences.is_empty() && self.own.is_empty()
    }

    /// Returns the warnings for the authors of rules, for example about allow rules that were turned into ask
    /// rules.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns notes for the authors of rules: a rule that allows an unknown program allows whatever that
    /// program runs.
    ///
    /// ```
    /// use windlass_hitl::{Action, Policy, Rule, RuleFile, Source};
    /// let mut file = RuleFile::default();
    /// file.rules.push(Rule::new("mine", Action::Allow).with_argv(["frobnicate"]));
    /// let policy = Policy::default().with_file(Source::User, file)?;
    /// assert!(policy.warnings().is_empty() && policy.notes().next().is_some());
    /// # Ok::<(), windlass_hitl::PolicyError>(())
    /// ```
    pub fn notes(&self) -> impl Iterator<Item = String> + '_ {
        self.rules.iter().filter_map(|rule| rule.note())
    }

    /// Returns the ids of all rules and constraints with their sources: first the rules, then the
    /// constraints, then the checks and permissions in code, each in the order of loading.
    pub fn ids(&self) -> impl Iterator<Item = (&str, Source)> {
        let rules = self.rules.iter().map(|rule| (rule.rule.id.as_str(), rule.source));
        let fences = self.fences.iter().map(|fence| (fence.id.as_str(), fence.source));
        rules.chain(fences).chain(self.code.ids().map(|id| (id, Source::Code)))
    }

    /// Returns a digest of all rules, constraints, ids of checks and permitted private addresses, in the form of policy
    /// files. It does not depend on their order. Approvals that were learned under another digest do not count (RULES H9).
    pub fn epoch(&self) -> String {
        epoch::epoch(self)
    }
}
