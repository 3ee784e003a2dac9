//! Collectors of the effects that the words of a program have.

use super::doubt::DoubtKind;
use super::touched::TouchKind;

/// Collector of the effects that the words of a program have. The words outlive the collector's borrow `'a`.
///
/// Every method does nothing by default, so that a collector pays only for the effects that it keeps.
pub(super) trait Recorder<'a> {
    /// Records a reason why the program is not proved to be read-only.
    fn doubt(&mut self, _kind: DoubtKind, _program: &str, _word: &str) {}

    /// Records a file that is read, or a folder whose names are listed. `-` is the standard input.
    fn read(&mut self, _path: &'a str) {}

    /// Records a file, or a folder that is read with everything below it. `-` is the standard input.
    fn read_tree(&mut self, _path: &'a str) {}

    /// Records a file that is written.
    fn write(&mut self, _path: &'a str) {}

    /// Records a file, or a folder that is written with everything below it.
    fn write_tree(&mut self, _path: &'a str) {}

    /// Records a file or folder that is removed.
    fn delete(&mut self, _path: &'a str, _below: bool) {}

    /// Records a use of a file that is not listed among the read or written paths.
    fn touch(&mut self, _kind: TouchKind, _path: &str, _below: bool) {}

    /// Records a word that may be a path, without certainty.
    fn may_touch(&mut self, _kind: TouchKind, _path: &str) {}

    /// Records the copy of a file in a folder.
    fn copy_into(&mut self, _folder: &str, _source: &str) {}
}

/// The written paths of a program, borrowed from its words. A scan looks at the same words once for each program that
/// may start before them, so nothing else is kept and nothing is copied.
#[derive(Default)]
pub(super) struct WrittenPaths<'a>(Vec<&'a str>);

impl<'a> WrittenPaths<'a> {
    pub(super) fn into_paths(self) -> Vec<&'a str> {
        self.0
    }
}

impl<'a> Recorder<'a> for WrittenPaths<'a> {
    fn write(&mut self, path: &'a str) {
        self.0.push(path);
    }

    fn write_tree(&mut self, path: &'a str) {
        self.0.push(path);
    }

    fn delete(&mut self, path: &'a str, _below: bool) {
        self.0.push(path);
    }
}
