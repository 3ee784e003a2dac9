//! Policies: compiled rules and constraints.

mod arguments;
mod banned;
mod custom;
mod epoch;
mod error;
mod fence;
mod glob;
mod host;
mod loader;
mod matcher;
mod starts;

use std::collections::BTreeSet;

use windlass_protocol::ToolName;

pub use error::PolicyError;
pub(crate) use fence::{Breach, Fence};
pub(crate) use matcher::CompiledRule;

use self::loader::Loader;
use crate::check::{Check, Objection, Permit};
use crate::links::LinkResolver;
use crate::own::{OwnPlace, OwnPlaces};
use crate::part::Part;
use crate::{Action, EffectKind, Facts, Rule, RuleFile, RuleLink, Source, TraceEntry, place};

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
    pub(crate) rules: Vec<CompiledRule>,
    pub(crate) fences: Vec<Fence>,
    reachable: Vec<(String, u16)>,
    own: OwnPlaces,
    links: LinkResolver,
    checks: Vec<Check>,
    permits: Vec<Permit>,
    warnings: Vec<String>,
}

impl Default for Policy {
    /// Creates a policy with the built-in rules only: reading inside the workspace and internal effects are
    /// allowed.
    fn default() -> Self {
        let allow = |id: &str, effect| {
            CompiledRule::builtin(Rule::new(id, Action::Allow).with_effect(effect), Source::Builtin)
        };
        Self {
            rules: vec![allow("b.read", EffectKind::Read), allow("b.internal", EffectKind::Internal)],
            fences: Vec::new(),
            reachable: Vec::new(),
            own: OwnPlaces::default(),
            links: LinkResolver::default(),
            checks: Vec::new(),
            permits: Vec::new(),
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

    /// Adds a check in code, which can only make decisions stricter. It receives the facts of each call and
    /// returns `None`, or an [`Objection`] that asks or denies like a rule.
    ///
    /// A check must be a pure function of the facts: a decision can be repeated from the record of a run. It
    /// runs on the thread of the run, so it should return within microseconds. The digest of the policy
    /// contains only the check's id, so change the id together with the function. A check that panics denies
    /// the call.
    ///
    /// ```
    /// use windlass_hitl::{Facts, Objection, Policy};
    /// use windlass_protocol::Payload;
    ///
    /// let limit = |facts: &Facts| match &facts.payload {
    ///     Payload::Function { arguments } if facts.tool.as_str() == "pay" => {
    ///         let is_large = arguments.get("cents").and_then(|cents| cents.as_u64()) > Some(4_000);
    ///         is_large.then(|| Objection::ask("a large payment needs approval"))
    ///     }
    ///     _ => None,
    /// };
    /// let policy = Policy::default().with_check("large-payments", limit)?;
    /// # let _ = policy;
    /// # Ok::<(), windlass_hitl::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// If the id is empty or in use, or begins like the ids of built-in rules.
    pub fn with_check(
        mut self,
        id: impl Into<String>,
        check: impl Fn(&Facts) -> Option<Objection> + Send + Sync + 'static,
    ) -> Result<Self, PolicyError> {
        let check = Check::new(self.free_id(id.into())?, check);
        self.checks.push(check);
        Ok(self)
    }

    /// Adds a permission in code: a call for which `permit` returns true is allowed, like by an allow rule. It
    /// lifts no denial and no mandatory question. Only the owner of the program can add one; policy files
    /// cannot.
    ///
    /// Like a [check](Self::with_check), it must be a pure function of the facts. A permission that panics
    /// allows nothing.
    ///
    /// # Errors
    /// If the id is empty or in use, or begins like the ids of built-in rules.
    pub fn with_permit(
        mut self,
        id: impl Into<String>,
        permit: impl Fn(&Facts) -> bool + Send + Sync + 'static,
    ) -> Result<Self, PolicyError> {
        let permit = Permit::new(self.free_id(id.into())?, permit);
        self.permits.push(permit);
        Ok(self)
    }

    /// Returns the id if a rule of the program's code can have it.
    fn free_id(&self, id: String) -> Result<String, PolicyError> {
        loader::check_id(&id)?;
        let is_taken = self.ids().any(|(known, _)| known == id);
        if is_taken { Err(PolicyError::DuplicateId { id }) } else { Ok(id) }
    }

    /// Returns the ids of the checks and permissions in code.
    fn ids_in_code(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().map(Check::id).chain(self.permits.iter().map(Permit::id))
    }

    /// Returns the objections of the checks to a call.
    pub(crate) fn objections(&self, facts: &Facts) -> Vec<TraceEntry> {
        self.checks.iter().filter_map(|check| check.object(facts)).collect()
    }

    /// Returns the permission in code with the lowest id that allows a call.
    pub(crate) fn permitted(&self, facts: &Facts) -> Option<TraceEntry> {
        let permits = self.permits.iter().filter_map(|permit| permit.allow(facts));
        permits.min_by(|left, right| left.reason.rule_id.cmp(&right.reason.rule_id))
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
        self.rules.push(CompiledRule::builtin(rule, source));
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
    /// [`Facts::with_links`](crate::Facts::with_links). Call it for each call, because links can change. It
    /// reads the disk through the function of [`with_link_resolver`](Self::with_link_resolver).
    pub fn resolve_links(&self) -> Vec<RuleLink> {
        if self.links.is_missing() {
            return Vec::new();
        }
        let rules = self.rules.iter().flat_map(CompiledRule::starts);
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
            checks: Vec::new(),
            permits: Vec::new(),
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
        self.rules.iter().filter_map(CompiledRule::note)
    }

    /// Returns the ids of all rules and constraints with their sources: first the rules, then the
    /// constraints, then the checks and permissions in code, each in the order of loading.
    pub fn ids(&self) -> impl Iterator<Item = (&str, Source)> {
        let rules = self.rules.iter().map(|rule| (rule.rule.id.as_str(), rule.source));
        let fences = self.fences.iter().map(|fence| (fence.id.as_str(), fence.source));
        rules.chain(fences).chain(self.ids_in_code().map(|id| (id, Source::Code)))
    }

    /// Returns a digest of all rules, constraints, ids of checks and permitted private addresses, in the form of policy
    /// files. It does not depend on their order. Approvals that were learned under another digest do not count (RULES H9).
    pub fn epoch(&self) -> String {
        epoch::epoch(self)
    }
}
