//! The policy on paths that a running call discovers.

use std::fmt;
use std::sync::Arc;

use windlass_protocol::Effect;

type PathRule = Arc<dyn Fn(&Effect) -> bool + Send + Sync>;

/// Policy's decision about paths that a call discovers while it runs, below a folder that it lists, searches
/// or removes.
///
/// The effects of a call name only the folder where the call starts, but rules also apply to paths below it.
/// A tool that walks a folder therefore checks each path with the gate before it shows, reads or removes the
/// path. The default gate refuses nothing.
///
/// ```
/// use windlass_protocol::Effect;
/// use windlass_tool::PathGate;
/// let gate = PathGate::new(|effect| effect.path().is_some_and(|path| path.starts_with("private")));
/// assert!(gate.shows("src/lib.rs") && !gate.shows("private/x.txt"));
/// assert!(PathGate::default().shows("private/x.txt"));
/// ```
#[derive(Clone, Default)]
pub struct PathGate(Option<PathRule>);

impl PathGate {
    /// Creates a gate from a predicate that returns whether an effect on a path is refused.
    pub fn new(refuses: impl Fn(&Effect) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(refuses)))
    }

    /// Returns whether the gate refuses nothing, so that checks can be skipped.
    pub fn is_open(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether the call may read the path and reveal that it exists. The path is relative to the
    /// workspace, uses `/` as separator, and has all symbolic links resolved.
    pub fn shows(&self, path: &str) -> bool {
        self.passes(|| Effect::Read { path: path.to_owned() })
    }

    /// Returns whether the call may remove the path. The path has the form described at
    /// [`shows`](Self::shows).
    pub fn removes(&self, path: &str) -> bool {
        self.passes(|| Effect::Delete { path: path.to_owned() })
    }

    fn passes(&self, effect: impl FnOnce() -> Effect) -> bool {
        self.0.as_ref().is_none_or(|refuses| !refuses(&effect()))
    }
}

impl fmt::Debug for PathGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathGate").field("is_open", &self.is_open()).finish()
    }
}
