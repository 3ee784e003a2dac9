//! Files of the program itself that no call may reach: settings, records and grants.

use windlass_protocol::Effect;

use crate::part::Part;
use crate::place::canonical;

/// Kind of a place that the program keeps for itself. No call may read, change or remove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnPlace {
    /// Configuration and rules. The floor's rule id is `f.own_policy`.
    Settings,
    /// Grants, answers, lessons, tokens, journals, recordings, caches. The floor's rule id is `f.own_grants`.
    State,
}

/// The protected places with their canonical paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnPlaces(Vec<(OwnPlace, String)>);

impl OwnPlace {
    pub(crate) fn rule_id(self) -> &'static str {
        match self {
            Self::Settings => "f.own_policy",
            Self::State => "f.own_grants",
        }
    }

    pub(crate) fn text(self, path: &str) -> String {
        match self {
            Self::Settings => format!("{path} holds the rules of this program itself"),
            Self::State => format!("{path} holds what this program records and grants"),
        }
    }
}

impl OwnPlaces {
    pub(crate) fn push(&mut self, kind: OwnPlace, path: &str) {
        let name = anchor(path);
        if !name.is_empty() && !self.0.iter().any(|(_, known)| *known == name) {
            self.0.push((kind, name));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the protected place that an effect reaches, if any. An effect reaches a place if its path lies
    /// in the place, or if it removes a folder that contains the place.
    pub(crate) fn find_reached(&self, part: &Part<'_>) -> Option<OwnPlace> {
        if self.0.is_empty() {
            return None;
        }
        let path = anchor(part.effect.path()?);
        let takes_away = matches!(part.effect.as_ref(), Effect::Delete { .. } | Effect::DeleteTree { .. });
        let is_reached = |own: &str| is_below(&path, own) || (takes_away && is_below(own, &path));
        self.0.iter().find(|(_, own)| is_reached(own)).map(|(kind, _)| *kind)
    }
}

/// Returns whether a path is a folder or lies below it. Both are in canonical form; the empty folder is the
/// workspace root.
fn is_below(path: &str, folder: &str) -> bool {
    if folder.is_empty() {
        return !path.starts_with(['/', '~']);
    }
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || folder == "/")
}

/// Returns the canonical path with its anchor: the workspace, the root of the file system, or the home
/// folder.
fn anchor(path: &str) -> String {
    let plain = canonical(path);
    if path.starts_with(['/', '\\']) { format!("/{plain}") } else { plain }
}
