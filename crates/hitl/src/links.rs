//! Links that rules name: the aliases of a path that a rule reaches through a link.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::place::normal;

/// A path that a rule names, with the target of a link on that path.
///
/// A rule about `pub/**` also applies to `private/x.txt` if `pub` is a link to `private`. Decisions read no
/// file, so the links are among the [`PolicyInput`](crate::PolicyInput) of a call.
/// [`Policy::resolve_links`](crate::Policy::resolve_links) finds them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RuleLink {
    /// The path as the rule names it, relative to the workspace.
    pub path: String,
    /// The path without links, relative to the workspace.
    pub resolved: String,
}

impl RuleLink {
    /// Creates a link from the path that a rule names and its target.
    pub fn new(path: impl Into<String>, resolved: impl Into<String>) -> Self {
        Self { path: path.into(), resolved: resolved.into() }
    }
}

type Resolve = dyn Fn(&str) -> Option<String> + Send + Sync;

/// The function that follows the links of a path in the workspace.
#[derive(Clone, Default)]
pub(crate) struct LinkResolver(Option<Arc<Resolve>>);

impl LinkResolver {
    pub(crate) fn new(resolve: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(resolve)))
    }

    /// Returns the link for a path, if the path leads to another place in the workspace.
    pub(crate) fn follow(&self, path: &str) -> Option<RuleLink> {
        let resolved = normal(&self.0.as_ref()?(path)?);
        (resolved != path).then(|| RuleLink::new(path, resolved))
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Debug for LinkResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LinkResolver").field(&self.0.is_some()).finish()
    }
}

/// Returns the aliases by which rules know a path because of links. A path whose effect reaches everything
/// below it also has the aliases of the places below it.
pub(crate) fn aliases(links: &[RuleLink], path: &str, reaches_below: bool) -> Vec<String> {
    let alias = |link: &RuleLink| match strip_folder(path, &link.resolved) {
        Some("") => Some(link.path.clone()),
        Some(rest) => Some(format!("{}/{rest}", link.path)),
        None => (reaches_below && strip_folder(&link.resolved, path).is_some()).then(|| link.path.clone()),
    };
    links.iter().filter_map(alias).collect()
}

/// Returns the rest of a path after a folder: an empty text for the folder itself, `None` if the path does
/// not lie in the folder. Both are normal; the empty folder is the workspace.
fn strip_folder<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return (!path.starts_with(['/', '~'])).then_some(path);
    }
    match path.strip_prefix(folder)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}
