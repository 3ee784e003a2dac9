//! Globs over workspace-relative paths, and what they say about whole trees.

use std::collections::BTreeSet;

use globset::{Candidate, GlobBuilder, GlobMatcher};

use super::PolicyError;
use super::starts::starts;
use crate::place::components;

/// A glob of a rule or a constraint.
#[derive(Clone, Debug)]
pub(crate) struct PathGlob {
    matcher: GlobMatcher,
    /// For `a/**`: what fits `a` itself, which is gone when everything below it is.
    folder: Option<GlobMatcher>,
    /// The glob name by name, if it can be read so.
    names: Option<Vec<Name>>,
    covers_trees: bool,
}

/// One name of a glob.
#[derive(Clone, Debug)]
enum Name {
    Literal(String),
    Pattern(GlobMatcher),
    /// `**`: any number of names.
    Any,
}

/// What a glob says about a path and everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// It fits none of these paths.
    None,
    /// Whether it fits one depends on which names are there.
    Possible,
    /// It names the path, or one below it.
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

    /// Whether it fits exactly this path.
    pub(crate) fn fits(&self, path: &Candidate<'_>) -> bool {
        self.matcher.is_match_candidate(path)
    }

    /// Whether it fits the path, or everything below the path.
    pub(crate) fn fits_or_holds(&self, path: &Candidate<'_>) -> bool {
        self.fits(path) || self.folder.as_ref().is_some_and(|folder| folder.is_match_candidate(path))
    }

    /// The plain paths with which the paths of the glob begin: where one of these is a link, the glob is about another
    /// place, too.
    pub(super) fn starts(&self) -> BTreeSet<String> {
        starts(self.matcher.glob().glob())
    }

    /// What it says about a path, and about everything below it where that is reached.
    pub(super) fn reach_of(&self, path: &str, reaches_below: bool) -> Reach {
        if reaches_below {
            self.reach(path)
        } else if self.fits_or_holds(&Candidate::new(path)) {
            Reach::Named
        } else {
            Reach::None
        }
    }

    /// Whether it fits a folder and everything below it.
    pub(crate) fn covers_tree(&self, path: &Candidate<'_>) -> bool {
        self.covers_trees && self.fits_or_holds(path)
    }

    /// Whether it is about names, wherever they lie.
    pub(crate) fn is_name(&self) -> bool {
        !self.matcher.glob().glob().contains('/')
    }

    /// What it says about a folder and everything below it. Walks the names of both side by side.
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
        // What is left names something below the path: one place, or whatever may be there.
        let place = match rest {
            [] => return Reach::None,
            [place @ .., Name::Any] | place => place,
        };
        if place.iter().all(|name| matches!(name, Name::Literal(_))) { Reach::Named } else { Reach::Possible }
    }
}

fn names(id: &str, glob: &str) -> Result<Option<Vec<Name>>, PolicyError> {
    // Alternatives, classes and escapes may hold or hide a `/`.
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
