//! Compiled constraints.

use globset::Candidate;
use windlass_protocol::{Amount, Effect};

use super::PolicyError;
use super::custom::{CustomMatcher, Fit};
use super::glob::{PathGlob, Reach};
use super::host::HostMatcher;
use crate::part::Part;
use crate::{Constraint, EffectKind, Source};

/// Compiled form of a [`Constraint`].
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    pub(crate) id: String,
    pub(crate) source: Source,
    /// The constraint as it was written, for the digest of the policy.
    pub(super) constraint: Constraint,
    effect: EffectKind,
    paths: Vec<PathGlob>,
    blocked: Vec<PathGlob>,
    extensions: Vec<String>,
    max_bytes: Option<u64>,
    hosts: Vec<HostMatcher>,
    ports: Vec<u16>,
    custom: Option<CustomMatcher>,
}

/// Violation of a constraint by a part of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Breach {
    /// The part violates the constraint. Holds the explanation.
    Broken(String),
    /// The data does not show whether the part violates the constraint. Holds the explanation.
    Unclear(String),
}

impl Fence {
    pub(super) fn new(constraint: Constraint, source: Source) -> Result<Self, PolicyError> {
        let id = constraint.id.clone();
        let globs = |globs: &[String]| -> Result<Vec<PathGlob>, PolicyError> {
            globs.iter().map(|glob| PathGlob::new(&id, glob)).collect()
        };
        if constraint.custom.is_some() && constraint.effect != EffectKind::Custom {
            return Err(PolicyError::NotCustom { id });
        }
        let custom = constraint.custom.clone().map(|condition| CustomMatcher::new(&id, condition));
        let host = |host: &String| {
            HostMatcher::parse(host).ok_or_else(|| PolicyError::Host { id: id.clone(), host: host.clone() })
        };
        let ending = |ending: &String| ending.trim_start_matches('.').to_lowercase();
        Ok(Self {
            source,
            effect: constraint.effect,
            paths: globs(&constraint.paths)?,
            blocked: globs(&constraint.blocked)?,
            extensions: constraint.extensions.iter().map(ending).collect(),
            max_bytes: constraint.max_bytes,
            hosts: constraint.hosts.iter().map(host).collect::<Result<_, _>>()?,
            ports: constraint.ports.clone(),
            custom: custom.transpose()?,
            id,
            constraint,
        })
    }

    /// Returns whether it can refuse a path that a call finds while it runs.
    pub(crate) fn is_about_paths(&self) -> bool {
        matches!(self.effect, EffectKind::Read | EffectKind::Delete)
    }

    /// Returns the violation of this constraint by a part of a call, if there is one.
    pub(crate) fn breach(&self, part: &Part<'_>) -> Option<Breach> {
        if !part.is(self.effect) {
            return None;
        }
        match part.effect.as_ref() {
            Effect::Connect { host, port } => self.connection(host, *port),
            Effect::Custom { kind, target, amount } => self.custom(kind, target, amount.as_ref()),
            effect => {
                let path = part.path.as_deref()?;
                self.path(part, path).or_else(|| self.size(effect))
            }
        }
    }

    /// Blocked globs also apply to the target of a link. Allowed paths and endings do not: a link widens
    /// nothing.
    fn path(&self, part: &Part<'_>, path: &str) -> Option<Breach> {
        let reaches_more = part.reaches_unlisted();
        let name = path.rsplit('/').next().unwrap_or(path);
        let whole = Candidate::new(path);
        let fits = |glob: &PathGlob| if reaches_more { glob.covers_tree(&whole) } else { glob.fits(&whole) };
        if !self.paths.is_empty() && !self.paths.iter().any(fits) {
            return Some(Breach::Broken(format!("{path} is not among the paths of constraint {}", self.id)));
        }
        let aliases = part.aliases.iter().map(String::as_str);
        let reach = [path].into_iter().chain(aliases).map(|path| self.blocks(path, reaches_more)).max();
        match reach.unwrap_or(Reach::None) {
            Reach::Named => {
                return Some(Breach::Broken(format!("{path} is blocked by constraint {}", self.id)));
            }
            Reach::Possible => {
                return Some(Breach::Unclear(format!(
                    "it is not known whether constraint {} blocks a name below {path}",
                    self.id
                )));
            }
            Reach::None => {}
        }
        let ending = name.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_lowercase());
        if !self.extensions.is_empty() && !self.extensions.contains(&ending) {
            return Some(Breach::Broken(format!(
                "the file extension of {path} is not among those of \
                 constraint {}",
                self.id
            )));
        }
        None
    }

    fn blocks(&self, path: &str, reaches_more: bool) -> Reach {
        let last = Candidate::new(path.rsplit('/').next().unwrap_or(path));
        let reach = |glob: &PathGlob| {
            // A glob without a folder matches names in every folder.
            if glob.is_name() && glob.fits(&last) {
                Reach::Named
            } else if glob.is_name() && reaches_more {
                Reach::Possible
            } else {
                glob.reach_of(path, reaches_more)
            }
        };
        self.blocked.iter().map(reach).max().unwrap_or(Reach::None)
    }

    /// Returns the number of its globs.
    pub(super) fn globs(&self) -> usize {
        let custom = self.custom.as_ref().map_or(0, CustomMatcher::globs);
        self.paths.len().saturating_add(self.blocked.len()).saturating_add(custom)
    }

    /// Returns the literal path prefixes of its blocked globs.
    pub(super) fn starts(&self) -> impl Iterator<Item = String> {
        self.blocked.iter().flat_map(PathGlob::starts)
    }

    fn size(&self, effect: &Effect) -> Option<Breach> {
        let (most, Effect::Write { bytes, .. }) = (self.max_bytes?, effect) else { return None };
        match bytes {
            Some(bytes) if *bytes > most => Some(Breach::Broken(format!(
                "{bytes} bytes are more than the {most} of constraint {}",
                self.id
            ))),
            Some(_) => None,
            None => Some(Breach::Unclear(format!(
                "it is not known whether it writes more than the {most} bytes of constraint {}",
                self.id
            ))),
        }
    }

    fn custom(&self, kind: &str, target: &str, amount: Option<&Amount>) -> Option<Breach> {
        let custom = self.custom.as_ref().filter(|custom| custom.covers_kind(kind))?;
        if !custom.covers_target(target) {
            let text = format!("{target} is not among the targets of constraint {}", self.id);
            return Some(Breach::Broken(text));
        }
        match (custom.fits_amount(amount), amount) {
            (Fit::Yes, _) => None,
            (Fit::No, Some(amount)) => {
                Some(Breach::Broken(format!("{amount} is outside of the bounds of constraint {}", self.id)))
            }
            (Fit::No | Fit::Unknown, _) => Some(Breach::Unclear(format!(
                "its amount is not known in the unit of constraint {}",
                self.id
            ))),
        }
    }

    fn connection(&self, host: &str, port: u16) -> Option<Breach> {
        if !self.hosts.is_empty() && !self.hosts.iter().any(|wanted| wanted.is_match(host)) {
            return Some(Breach::Broken(format!("{host} is not among the hosts of constraint {}", self.id)));
        }
        if !self.ports.is_empty() && !self.ports.contains(&port) {
            return Some(Breach::Broken(format!(
                "port {port} is not among the ports of constraint {}",
                self.id
            )));
        }
        None
    }
}
