//! Whether files are as a call would have left them.

use windlass_protocol::{Aftermath, PlannedFile, TargetKind};

use crate::{Look, Version, Workspace, WorkspacePath};

impl Workspace {
    /// What is left of a call that planned these changes of files and had begun when its program ended.
    ///
    /// ```
    /// use windlass_protocol::Aftermath;
    /// use windlass_sandbox::{Version, Workspace};
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("a.txt"), "two")?;
    /// let workspace = Workspace::open(folder.path())?;
    /// let path = workspace.resolve("a.txt")?;
    /// let planned = [workspace.planned(&path, Some(Version::of(b"one")), Some(Version::of(b"two")))];
    /// assert_eq!(workspace.aftermath(&planned), Aftermath::Done);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn aftermath(&self, planned: &[PlannedFile]) -> Aftermath {
        Aftermath::of(planned, |path| {
            let target = self.target(path, Look::Bytes);
            match target.kind {
                TargetKind::Missing => Some(None),
                TargetKind::File => target.digest.map(Some),
                _ => None,
            }
        })
    }

    /// A file as it is and as a call would leave it, where it leads when links are followed.
    pub fn planned(
        &self,
        path: &WorkspacePath,
        before: Option<Version>,
        after: Option<Version>,
    ) -> PlannedFile {
        let words = |version: Version| version.to_string();
        // A name that cannot be followed stands for itself.
        let real = self.real(path).map_or_else(|_| path.to_string(), |real| real.to_string());
        PlannedFile::new(real, before.map(words), after.map(words))
    }
}
