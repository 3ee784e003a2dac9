//! Rules made ready for judging.

use globset::{GlobBuilder, GlobMatcher};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Effect, ToolName};

use crate::place::components;
use crate::{Action, Constraint, EffectKind, Rule, RuleFile, Source};

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
}

/// Why a policy file is refused.
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
    /// Two rules have one name, or a rule takes a name of the built-in ones.
    #[error("rule {id}: the id is taken")]
    DuplicateId {
        /// The name.
        id: String,
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

#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) id: String,
    pub(crate) source: Source,
    pub(crate) action: Action,
    pub(crate) reason: Option<String>,
    tool: Option<ToolName>,
    effect: Option<EffectKind>,
    path: Option<GlobMatcher>,
}

#[derive(Clone, Debug)]
pub(crate) struct Fence {
    pub(crate) id: String,
    pub(crate) source: Source,
    effect: EffectKind,
    paths: Vec<GlobMatcher>,
}

impl Default for Policy {
    /// The built-in rules: reading inside the workspace and talking to the human are allowed.
    fn default() -> Self {
        let builtin = |id: &str, effect| Compiled {
            id: id.to_owned(),
            source: Source::Builtin,
            action: Action::Allow,
            reason: None,
            tool: None,
            effect: Some(effect),
            path: None,
        };
        Self {
            rules: vec![builtin("b.read", EffectKind::Read), builtin("b.internal", EffectKind::Internal)],
            fences: Vec::new(),
        }
    }
}

impl Policy {
    /// The same policy with a file's rules.
    ///
    /// # Errors
    /// If a glob cannot be read, an id is taken, or a project's file allows something. The whole file is
    /// refused then.
    pub fn with_file(mut self, source: Source, file: RuleFile) -> Result<Self, PolicyError> {
        for rule in file.rules {
            if source == Source::Project && rule.action == Action::Allow {
                return Err(PolicyError::Loosens { id: rule.id });
            }
            self.refuse_taken(&rule.id)?;
            self.rules.push(Compiled::new(rule, source)?);
        }
        for constraint in file.constraints {
            self.refuse_taken(&constraint.id)?;
            self.fences.push(Fence::new(constraint, source)?);
        }
        Ok(self)
    }

    /// A digest of all rules and constraints: what was learned under other ones does not count (RULES H9). The order
    /// of rules never matters.
    pub fn epoch(&self) -> String {
        let rules = self.rules.iter().map(|rule| format!("{rule:?}"));
        let mut words: Vec<String> =
            rules.chain(self.fences.iter().map(|fence| format!("{fence:?}"))).collect();
        words.sort_unstable();
        let digest = Sha256::digest(words.join("\n").as_bytes());
        digest.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }

    fn refuse_taken(&self, id: &str) -> Result<(), PolicyError> {
        let builtin =
            ["v.", "f.", "p.", "b.", "g.", "l.", "d.", "t."].iter().any(|prefix| id.starts_with(prefix));
        let mut ids = self.rules.iter().map(|rule| &rule.id).chain(self.fences.iter().map(|fence| &fence.id));
        if builtin || id.is_empty() || ids.any(|taken| taken == id) {
            return Err(PolicyError::DuplicateId { id: id.to_owned() });
        }
        Ok(())
    }
}

impl Compiled {
    fn new(rule: Rule, source: Source) -> Result<Self, PolicyError> {
        let path = rule.path.as_deref().map(|glob| compile(&rule.id, glob)).transpose()?;
        Ok(Self {
            id: rule.id,
            source,
            action: rule.action,
            reason: rule.reason,
            tool: rule.tool,
            effect: rule.effect,
            path,
        })
    }

    pub(crate) fn fits(&self, tool: &ToolName, effect: &Effect) -> bool {
        self.tool.as_ref().is_none_or(|wanted| wanted == tool)
            && self.effect.is_none_or(|wanted| wanted == EffectKind::of(effect))
            && self
                .path
                .as_ref()
                .is_none_or(|glob| effect.path().is_some_and(|path| glob.is_match(normal(path))))
    }
}

impl Fence {
    fn new(constraint: Constraint, source: Source) -> Result<Self, PolicyError> {
        let paths =
            constraint.paths.iter().map(|glob| compile(&constraint.id, glob)).collect::<Result<_, _>>()?;
        Ok(Self { id: constraint.id, source, effect: constraint.effect, paths })
    }

    pub(crate) fn is_broken_by(&self, effect: &Effect) -> bool {
        self.effect == EffectKind::of(effect)
            && effect.path().is_some_and(|path| !self.paths.iter().any(|glob| glob.is_match(normal(path))))
    }
}

impl EffectKind {
    pub(crate) fn of(effect: &Effect) -> Self {
        match effect {
            Effect::Read { .. } => Self::Read,
            Effect::Write { .. } => Self::Write,
            Effect::Delete { .. } => Self::Delete,
            Effect::Execute { .. } => Self::Execute,
            Effect::Connect { .. } => Self::Network,
            Effect::Spawn { .. } => Self::Spawn,
            Effect::Internal => Self::Internal,
            // An effect that this version does not know.
            _ => Self::Unknown,
        }
    }
}

fn compile(id: &str, glob: &str) -> Result<GlobMatcher, PolicyError> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|source| PolicyError::Glob { id: id.to_owned(), glob: glob.to_owned(), source })
}

/// The path with `a/../` and `./` taken out, so that a glob sees what would be touched.
fn normal(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for component in components(path) {
        if component == ".." && names.last().is_some_and(|last| *last != "..") {
            names.pop();
        } else {
            names.push(component);
        }
    }
    let joined = names.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}
