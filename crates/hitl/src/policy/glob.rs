//! Globs over workspace-relative paths, matched against single paths and whole trees.

use std::collections::BTreeSet;

use globset::{Candidate, GlobBuilder, GlobMatcher};

use super::PolicyError;
use super::starts::starts;
use crate::place::components;

/// Compiled glob of a rule or a constraint.
#[derive(Clone, Debug)]
pub(crate) struct PathGlob {
    matcher: GlobMatcher,
    /// For `a/**`: a matcher for `a` itself, which disappears with everything below it.
    folder: Option<GlobMatcher>,
    /// The components of the glob; `None` if the glob cannot be split at `/`.
    names: Option<Vec<Name>>,
    covers_trees: bool,
}

/// One component of a glob.
#[derive(Clone, Debug)]
enum Name {
    Literal(String),
    Pattern(GlobMatcher),
    /// `**`: any number of components.
    Any,
}

/// Match of a glob with a path and, for an effect on a tree, everything below the path. Ordered by certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// The glob matches none of these paths.
    None,
    /// The glob may match a path below, depending on the names that exist.
    Possible,
    /// The glob names the path, or a path below it.
    Named,
}

impl PathGlob {
    pub(super) fn new(id: &str, glob: &str) -> Result<Self, PolicyError> {
        windlass_text::Glob::check(glob)
            .map_err(|source| PolicyError::GlobSize { id: id.to_owned(), source })?;
        let text = glob.strip_prefix("./").unwrap_or(glob);
        let build = |glob: &str| matcher(id, glob);
        let folder = text.strip_suffix("/**/*").or_else(|| text.strip_suffix("/**"));
        Ok(Self {
            matcher: build(text)?,
            folder: folder.filter(|folder| !folder.is_empty()).map(build).transpose()?,
            names: names(id, text)?,
            covers_trees: text == "**" || text.ends_with("/**"),
        })
    }

    /// Returns whether the glob matches exactly this path.
    pub(crate) fn fits(&self, path: &Candidate<'_>) -> bool {
        self.matcher.is_match_candidate(path)
    }

    /// Returns whether the glob matches the path, or everything below the path.
    pub(crate) fn fits_or_holds(&self, path: &Candidate<'_>) -> bool {
        self.fits(path) || self.folder.as_ref().is_some_and(|folder| folder.is_match_candidate(path))
    }

    /// Returns the literal path prefixes of the glob. If one of them is a link, the glob also applies to the
    /// link's target.
    pub(super) fn starts(&self) -> BTreeSet<String> {
        starts(self.matcher.glob().glob())
    }

    /// Matches a path and, if `reaches_below` is set, everything below it.
    pub(super) fn reach_of(&self, path: &str, reaches_below: bool) -> Reach {
        if reaches_below {
            self.reach(path)
        } else if self.fits_or_holds(&Candidate::new(path)) {
            Reach::Named
        } else {
            Reach::None
        }
    }

    /// Returns whether the glob matches a folder and everything below it.
    pub(crate) fn covers_tree(&self, path: &Candidate<'_>) -> bool {
        self.covers_trees && self.fits_or_holds(path)
    }

    /// Returns whether the glob has no folder and so matches names in every folder.
    pub(crate) fn is_name(&self) -> bool {
        !self.matcher.glob().glob().contains('/')
    }

    /// Matches a folder and everything below it. Walks the components of the path and the glob side by side.
    pub(crate) fn reach(&self, path: &str) -> Reach {
        if self.fits_or_holds(&Candidate::new(path)) {
            return Reach::Named;
        }
        if path.starts_with(['/', '~']) {
            return Reach::None;
        }
        let Some(names) = &self.names else { return Reach::Possible };
        let mut rest = names.as_slice();
        for part in components(path) {
            let Some((name, after)) = rest.split_first() else { return Reach::None };
            match name {
                Name::Any => return Reach::Possible,
                Name::Literal(name) if name == part => {}
                Name::Pattern(pattern) if pattern.is_match(part) => {}
                Name::Literal(_) | Name::Pattern(_) => return Reach::None,
            }
            rest = after;
        }
        // The remaining components name something below the path: one place, or names that may exist.
        let place = match rest {
            [] => return Reach::None,
            [place @ .., Name::Any] | place => place,
        };
        if place.iter().all(|name| matches!(name, Name::Literal(_))) { Reach::Named } else { Reach::Possible }
    }
}

fn names(id: &str, glob: &str) -> Result<Option<Vec<Name>>, PolicyError> {
    // Alternatives, classes and escapes may contain or hide a `/`.
    if glob.contains(['{', '\\', '[']) {
        return Ok(None);
    }
    let name = |name: &str| match name {
        "**" => Ok(Name::Any),
        name if name.contains(['*', '?']) => matcher(id, name).map(Name::Pattern),
        name => Ok(Name::Literal(name.to_owned())),
    };
    components(glob).map(name).collect::<Result<_, _>>().map(Some)
}

fn matcher(id: &str, glob: &str) -> Result<GlobMatcher, PolicyError> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|source| PolicyError::Glob { id: id.to_owned(), glob: glob.to_owned(), source })
}
