//! The reason why a question is asked again.

use std::collections::BTreeSet;

use crate::{ApprovalRequest, display_safe};

/// Maximum number of files that the reason names.
const NAMED_FILES: usize = 3;

impl ApprovalRequest {
    /// Adds to the reason why the question is asked again, although an earlier question about the same call was
    /// displayed: an answer counts only for the call that was displayed (RULES H4). Each window displays the reason.
    ///
    /// A request with the same digest is returned unchanged.
    pub fn with_earlier(mut self, earlier: &Self) -> Self {
        if self.digest != earlier.digest {
            let difference = self.difference(earlier);
            self.reason.text = format!(
                "it is asked again, because {difference} since the earlier question: {}",
                self.reason.text
            );
        }
        self
    }

    fn difference(&self, earlier: &Self) -> String {
        let files = self.changed_files(earlier);
        if !files.is_empty() {
            return describe_files(&files);
        }
        let what = if self.call.payload != earlier.call.payload {
            "its arguments have changed"
        } else if self.effects != earlier.effects {
            "its effects have changed"
        } else if self.containment != earlier.containment {
            "the confinement of its processes has changed"
        } else {
            "the tool or the policy has changed"
        };
        what.to_owned()
    }

    /// Returns the files whose diff or whose place on the disk differs.
    fn changed_files<'a>(&'a self, earlier: &'a Self) -> Vec<&'a str> {
        let mut files = BTreeSet::new();
        for (these, those) in [(self, earlier), (earlier, self)] {
            let changes = these.changes.iter().filter(|change| !those.changes.contains(change));
            files.extend(changes.map(|change| change.path.as_str()));
            let targets = these.targets.iter().filter(|target| !those.targets.contains(target));
            files.extend(targets.map(|target| target.path.as_str()));
        }
        files.into_iter().collect()
    }
}

fn describe_files(files: &[&str]) -> String {
    let named: Vec<String> = files.iter().take(NAMED_FILES).map(|file| display_safe(file)).collect();
    let others = files.len().saturating_sub(named.len());
    let verb = if files.len() == 1 { "has" } else { "have" };
    match others {
        0 => format!("{} {verb} changed", named.join(", ")),
        others => format!("{} and {others} more files {verb} changed", named.join(", ")),
    }
}

#[cfg(test)]
mod tests;
