//! Collectors of what the words of a program do.

use super::{Doubt, DoubtKind, Effects, TouchKind, TouchedPath};

/// Collector of what the words of a program do. The words outlive the collector's borrow `'a`.
///
/// Every method does nothing by default, so that a collector pays only for what it keeps.
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

impl<'a> Recorder<'a> for Effects {
    fn doubt(&mut self, kind: DoubtKind, program: &str, word: &str) {
        self.doubts.push(Doubt { kind, program: program.to_owned(), word: word.to_owned() });
    }

    fn read(&mut self, path: &'a str) {
        if path != "-" {
            self.reads.push(path.to_owned());
            self.touch(TouchKind::Read, path, false);
        }
    }

    fn read_tree(&mut self, path: &'a str) {
        if path != "-" {
            self.reads.push(path.to_owned());
            self.touch(TouchKind::Read, path, true);
        }
    }

    fn write(&mut self, path: &'a str) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Write, path, false);
    }

    fn write_tree(&mut self, path: &'a str) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Write, path, true);
    }

    fn delete(&mut self, path: &'a str, below: bool) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Delete, path, below);
    }

    fn touch(&mut self, kind: TouchKind, path: &str, below: bool) {
        self.touched.push(TouchedPath { path: path.to_owned(), kind, below, sure: true, from_root: false });
    }

    fn may_touch(&mut self, kind: TouchKind, path: &str) {
        if !path.is_empty() && path != "-" {
            let below = kind != TouchKind::Any;
            self.touched.push(TouchedPath {
                path: path.to_owned(),
                kind,
                below,
                sure: false,
                from_root: false,
            });
        }
    }

    fn copy_into(&mut self, folder: &str, source: &str) {
        let last = source.trim_end_matches('/').rsplit('/').next().unwrap_or(source);
        self.touch(TouchKind::Write, &format!("{}/{last}", folder.trim_end_matches('/')), false);
    }
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
