//! Compares files with the state that an interrupted call would have left.

use windlass_protocol::{PlannedFile, ReconcileOutcome, TargetKind};

use crate::{Look, Version, Workspace, WorkspacePath};

impl Workspace {
    /// Returns the outcome of a call that had planned these file changes and was running when its program
    /// ended.
    ///
    /// ```
    /// use windlass_protocol::ReconcileOutcome;
    /// use windlass_sandbox::{Version, Workspace};
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("a.txt"), "two")?;
    /// let workspace = Workspace::open(folder.path())?;
    /// let path = workspace.resolve("a.txt")?;
    /// let planned = [workspace.plan_change(&path, Some(Version::compute(b"one")), Some(Version::compute(b"two")))];
    /// assert_eq!(workspace.aftermath(&planned), ReconcileOutcome::Done);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        ReconcileOutcome::compare(planned, |path| {
            let target = self.target(path, Look::Bytes);
            match target.kind {
                TargetKind::Missing => Some(None),
                TargetKind::File => target.digest.map(Some),
                _ => None,
            }
        })
    }

    /// Returns the planned change of a file, by its real path, with the versions before and after.
    pub fn plan_change(
        &self,
        path: &WorkspacePath,
        before: Option<Version>,
        after: Option<Version>,
    ) -> PlannedFile {
        let words = |version: Version| version.to_string();
        // A path that cannot be resolved is used as it is.
        let real = self.real(path).map_or_else(|_| path.to_string(), |real| real.to_string());
        PlannedFile::new(real, before.map(words), after.map(words))
    }
}
