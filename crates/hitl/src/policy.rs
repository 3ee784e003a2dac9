//! Rules made ready for judging.

mod banned;
mod fence;
mod glob;
mod host;
mod matcher;
mod starts;

use std::collections::{BTreeSet, HashSet};

use sha2::{Digest as _, Sha256};
use windlass_protocol::{Effect, ToolName};

pub(crate) use fence::{Breach, Fence};
pub(crate) use matcher::Compiled;

use crate::links::LinkResolver;
use crate::own::{OwnPlace, OwnPlaces};
use crate::part::Part;
use crate::{Action, EffectKind, Rule, RuleFile, RuleLink, Source, place};

/// The most rules and constraints of all files together.
const MAX_RULES: usize = 2_000;
/// The most globs of all files together.
const MAX_GLOBS: usize = 1_000;

/// Rules and constraints from all sources, compiled. The built-in ones are always there.
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
    pub(crate) rules: Vec<Compiled>,
    pub(crate) fences: Vec<Fence>,
    reachable: Vec<(String, u16)>,
    own: OwnPlaces,
    links: LinkResolver,
    warnings: Vec<String>,
}

/// Why a policy file is refused. The whole file is, so that no rule of it is in force that its author did not mean.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A glob cannot be read.
    #[error("rule {id}: the glob {glob} cannot be read")]
    Glob {
        /// Which rule.
        id: String,
        /// Its glob.
        glob: String,
        /// Why.
        source: globset::Error,
    },
    /// A glob is too large to be built: its bytes, its braces, or how deep they stand in each other.
    #[error("rule {id}: the glob is too large")]
    GlobSize {
        /// Which rule.
        id: String,
        /// Which limit it passes.
        source: windlass_text::GlobError,
    },
    /// There are more rules and constraints, or more globs, than are judged by.
    #[error("the policy has more than {limit} {what}")]
    TooMany {
        /// Rules or globs.
        what: &'static str,
        /// How many are taken of all files together.
        limit: usize,
    },
    /// A host cannot be read.
    #[error("rule {id}: {host} is no host; write a name, an address, or *.name for every host below it")]
    Host {
        /// Which rule.
        id: String,
        /// Its host.
        host: String,
    },
    /// Two rules have one name, or a rule takes a name of the built-in ones.
    #[error("rule {id}: the id is taken")]
    DuplicateId {
        /// The name.
        id: String,
    },
    /// An example says otherwise than the rule.
    #[error("rule {id}: the example `{example}` {}", if *fits { "is one that it fits, under not_match" } else { "is one that it does not fit, under match" })]
    Example {
        /// Which rule.
        id: String,
        /// The example.
        example: String,
        /// Whether the rule fits it.
        fits: bool,
    },
    /// A project's file allows something.
    #[error(
        "rule {id}: a project's policy can deny and ask, but not allow; move the rule to the user's policy"
    )]
    Loosens {
        /// Which rule.
        id: String,
    },
}

impl Default for Policy {
    /// The built-in rules: reading inside the workspace and talking to the human are allowed.
    fn default() -> Self {
        let allow = |id: &str, effect| {
            Compiled::builtin(Rule::new(id, Action::Allow).with_effect(effect), Source::Builtin)
        };
        Self {
            rules: vec![allow("b.read", EffectKind::Read), allow("b.internal", EffectKind::Internal)],
            fences: Vec::new(),
            reachable: Vec::new(),
            own: OwnPlaces::default(),
            links: LinkResolver::default(),
            warnings: Vec::new(),
        }
    }
}

impl Policy {
    /// The same policy with a file's rules.
    ///
    /// # Errors
    /// If a glob or a host cannot be read, an id is taken, an example says otherwise than its rule, or a project's
    /// file allows something. The whole file is refused then.
    pub fn with_file(mut self, source: Source, file: RuleFile) -> Result<Self, PolicyError> {
        self.refuse_too_many(&file)?;
        let mut taken: HashSet<String> = self.ids().map(|(id, _)| id.to_owned()).collect();
        for rule in file.rules {
            if source == Source::Project && rule.action == Action::Allow {
                return Err(PolicyError::Loosens { id: rule.id });
            }
            take_id(&mut taken, &rule.id)?;
            let (rule, warning) = Compiled::new(rule, source)?;
            self.rules.push(rule);
            self.warnings.extend(warning);
        }
        for constraint in file.constraints {
            take_id(&mut taken, &constraint.id)?;
            self.fences.push(Fence::new(constraint, source)?);
        }
        Ok(self)
    }

    /// Refuses a file before any glob of it is built: each costs time and memory, and each rule is compared with
    /// everything that a call reaches.
    fn refuse_too_many(&self, file: &RuleFile) -> Result<(), PolicyError> {
        let refuse = |count: usize, limit, what| {
            if count > limit { Err(PolicyError::TooMany { what, limit }) } else { Ok(()) }
        };
        let rules = [self.count(), file.rules.len(), file.constraints.len()];
        refuse(rules.into_iter().fold(0, usize::saturating_add), MAX_RULES, "rules and constraints")?;
        let blocked =
            file.constraints.iter().map(|fence| fence.paths.len().saturating_add(fence.blocked.len()));
        let own = self.fences.iter().map(Fence::globs);
        let with_path = file.rules.iter().filter(|rule| rule.path.is_some()).count();
        let known = self.rules.iter().filter(|rule| rule.rule.path.is_some()).count();
        let globs = blocked.chain(own).chain([with_path, known]).fold(0, usize::saturating_add);
        refuse(globs, MAX_GLOBS, "globs")
    }

    /// The number of rules and constraints.
    pub(crate) fn count(&self) -> usize {
        self.rules.len().saturating_add(self.fences.len())
    }

    /// The same policy where a file could not be read: it might have denied anything, so nothing runs without a
    /// question (SECURITY "Load errors").
    pub fn with_rejected(mut self, source: Source) -> Self {
        let mut rule = Rule::new("p.rejected_policy", Action::Ask);
        rule.reason = Some("a policy file could not be read, so everything is asked".to_owned());
        self.rules.push(Compiled::builtin(rule, source));
        self
    }

    /// The same policy for a program that owns a service on a private address: connections to exactly this host and
    /// port are judged like public ones. Only code can say so, no file.
    pub fn with_reachable(mut self, host: impl Into<String>, port: u16) -> Self {
        self.reachable.push((host.into().to_lowercase(), port));
        self
    }

    pub(crate) fn is_reachable(&self, host: &str, port: u16) -> bool {
        self.reachable.iter().any(|(known, open)| known.eq_ignore_ascii_case(host) && *open == port)
    }

    /// The same policy for a program that keeps something at a place: a file, or a folder with everything below it. No
    /// call reads, changes or removes it, and no rule, grant or mode lifts this.
    ///
    /// The path is compared with those of effects and of what links in them lead to. Add one for each way in which an
    /// effect can name the place: relative to the workspace where it lies inside, absolute, and with `~` for the home.
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

    /// The same policy in a workspace whose links are followed: `resolve` takes a path relative to the workspace and returns
    /// the place to which it leads, or `None` if that lies outside or cannot be told. Without it a rule that names a link
    /// is about the link's name only.
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

    /// Returns the links on the paths of deny rules, ask rules and blocked paths, as they are now, for
    /// [`Facts::with_links`](crate::Facts::with_links). Links can change, so this is done for each call. It reads the disk.
    pub fn resolve_links(&self) -> Vec<RuleLink> {
        if self.links.is_missing() {
            return Vec::new();
        }
        let rules = self.rules.iter().flat_map(Compiled::starts);
        let starts: BTreeSet<String> = rules.chain(self.fences.iter().flat_map(Fence::starts)).collect();
        starts.iter().filter_map(|path| self.links.follow(path)).collect()
    }

    /// The place of the program itself that a part of a call reaches, if it reaches one.
    pub(crate) fn own_reached(&self, part: &Part<'_>) -> Option<OwnPlace> {
        self.own.reached_by(part).or_else(|| {
            let writes = !part.effect.is_read();
            part.effect.path().filter(|path| writes && place::is_own(path)).map(|_| OwnPlace::Settings)
        })
    }

    /// The part of the policy that can refuse a path which a call of this tool comes upon.
    pub(crate) fn about_paths(&self, tool: &ToolName) -> Self {
        let rules = self.rules.iter().filter(|rule| rule.is_about_paths(tool));
        let fences = self.fences.iter().filter(|fence| fence.is_about_paths());
        Self {
            rules: rules.cloned().collect(),
            fences: fences.cloned().collect(),
            reachable: Vec::new(),
            own: self.own.clone(),
            links: LinkResolver::default(),
            warnings: Vec::new(),
        }
    }

    /// Whether nothing in it refuses anything but the floor that every policy has.
    pub(crate) fn is_open(&self) -> bool {
        self.rules.is_empty() && self.fences.is_empty() && self.own.is_empty()
    }

    /// What about the rules is to be said to whoever wrote them.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns what the rules leave to programs, in words for their authors: what is allowed by the name of a program that
    /// is not known here is allowed whatever that program runs.
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
        self.rules.iter().filter_map(Compiled::note)
    }

    /// The ids of all rules and constraints with their sources, as decisions quote them, in their order.
    pub fn ids(&self) -> impl Iterator<Item = (&str, Source)> {
        let rules = self.rules.iter().map(|rule| (rule.rule.id.as_str(), rule.source));
        rules.chain(self.fences.iter().map(|fence| (fence.id.as_str(), fence.source)))
    }

    /// A digest of all rules and constraints: what was learned under other ones does not count (RULES H9). The order
    /// of rules never matters.
    pub fn epoch(&self) -> String {
        let rules = self.rules.iter().map(|rule| format!("{rule:?}"));
        let fences = self.fences.iter().map(|fence| format!("{fence:?}"));
        let reachable = self.reachable.iter().map(|place| format!("{place:?}"));
        let mut words: Vec<String> = rules.chain(fences).chain(reachable).collect();
        words.sort_unstable();
        let digest = Sha256::digest(words.join("\n").as_bytes());
        digest.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }
}

/// Adds the id of a rule to those that are taken.
fn take_id(taken: &mut HashSet<String>, id: &str) -> Result<(), PolicyError> {
    let builtin =
        ["v.", "f.", "p.", "b.", "g.", "l.", "d.", "t."].iter().any(|prefix| id.starts_with(prefix));
    if builtin || id.is_empty() || !taken.insert(id.to_owned()) {
        return Err(PolicyError::DuplicateId { id: id.to_owned() });
    }
    Ok(())
}

impl EffectKind {
    pub(crate) fn of(effect: &Effect) -> Self {
        match effect {
            Effect::Read { .. } | Effect::ReadTree { .. } => Self::Read,
            Effect::Write { .. } | Effect::WriteTree { .. } => Self::Write,
            Effect::Delete { .. } | Effect::DeleteTree { .. } => Self::Delete,
            Effect::Execute { .. } => Self::Execute,
            Effect::Connect { .. } => Self::Network,
            Effect::Mcp { .. } => Self::Mcp,
            Effect::Spawn { .. } => Self::Spawn,
            Effect::Internal => Self::Internal,
            // An effect that this version does not know.
            _ => Self::Unknown,
        }
    }
}
