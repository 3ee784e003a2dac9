//! The imports between the files of one crate.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

/// Strings, character literals and comments.
const NOT_CODE: &str = r####"r##"(?s:.*?)"##|r#"(?s:.*?)"#|r"[^"]*"|"(?s:[^"\\]|\\.)*"|'(?:[^'\\]|\\[^u]|\\u\{\w+\})'|//[^\n]*|(?s:/\*.*?\*/)"####;
const USE: &str = r"\buse\s+([^;]+);";
const PATH: &str = r"\b[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+";

/// The largest number of re-exports that lead to one item.
const MAX_REEXPORTS: usize = 8;

/// The files of a crate by module path (`client/http` for `client/http.rs`, an empty path for the root).
pub(super) struct Graph {
    /// The paths in `use` items of each file by the name that they bring into scope.
    names: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    imports: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// Reads the files of a crate, given by their paths below `src` without `.rs`.
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let [not_code, uses, paths] =
            [NOT_CODE, USE, PATH].map(|pattern| Regex::new(pattern).expect("a constant"));
        let mut graph = Self { names: BTreeMap::new(), imports: BTreeMap::new() };
        let mut all = Vec::new();
        for (file, text) in files {
            let code = not_code.replace_all(text, "");
            let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
            let module = if matches!(*file, "lib" | "main") { "" } else { file };
            let mut used = Vec::new();
            for tree in uses.captures_iter(&code).filter_map(|found| found.get(1)) {
                expand("", tree.as_str(), &mut used);
            }
            let named = used.iter().map(|(name, path)| (name.clone(), path.clone())).collect();
            let inline = paths.find_iter(&code).map(|path| segments(path.as_str()));
            let wanted: Vec<_> = used.into_iter().map(|(_, path)| path).chain(inline).collect();
            graph.names.insert(module.to_owned(), named);
            all.push((module.to_owned(), wanted));
        }
        for (module, wanted) in all.into_iter().filter(|(module, _)| !module.is_empty()) {
            let targets = wanted.iter().filter_map(|path| graph.file_of(&module, path, MAX_REEXPORTS));
            let targets = targets.filter(|target| !target.is_empty() && *target != module).collect();
            graph.imports.insert(module, targets);
        }
        graph
    }

    /// Returns the module with the item of a path that `module` uses, or `None` for a path of another crate.
    fn file_of(&self, module: &str, path: &[String], reexports: usize) -> Option<String> {
        let first = path.first()?;
        let (mut at, mut rest) = match first.as_str() {
            "crate" => (String::new(), path.get(1..)?),
            "self" => (module.to_owned(), path.get(1..)?),
            "super" => (parent(module), path.get(1..)?),
            _ => (module.to_owned(), path),
        };
        while let Some((next, behind)) = rest.split_first() {
            let child = if at.is_empty() { next.clone() } else { format!("{at}/{next}") };
            if next == "super" {
                at = parent(&at);
            } else if self.names.contains_key(&child) {
                at = child;
            } else if rest.len() == path.len() {
                // Neither a path of this crate nor one into a child: another crate, or a name that `use` brought.
                return None;
            } else {
                let reexported = self.names.get(&at)?.get(next).filter(|_| reexports > 0);
                let Some(source) = reexported else { break };
                let full: Vec<String> = source.iter().chain(behind).cloned().collect();
                return self.file_of(&at, &full, reexports.saturating_sub(1));
            }
            rest = behind;
        }
        Some(at)
    }

    /// Returns the circles: files that import each other, directly or through other files of the circle.
    pub(super) fn circles(&self) -> Vec<Vec<String>> {
        let reached: BTreeMap<_, _> = self.imports.keys().map(|file| (file, self.reachable(file))).collect();
        let reaches = |from: &String, to: &String| reached.get(from).is_some_and(|all| all.contains(to));
        let mut circles = BTreeSet::new();
        for file in self.imports.keys().filter(|file| reaches(file, file)) {
            let group = self.imports.keys().filter(|other| reaches(file, other) && reaches(other, file));
            circles.insert(group.cloned().collect());
        }
        circles.into_iter().collect()
    }

    /// Returns the imports of files of a circle from other files of it.
    pub(super) fn imports_within(&self, circle: &[String]) -> impl Iterator<Item = (&String, &String)> {
        let all = self.imports.iter().flat_map(|(from, targets)| targets.iter().map(move |to| (from, to)));
        all.filter(|(from, to)| circle.contains(from) && circle.contains(to))
    }

    fn reachable(&self, from: &String) -> BTreeSet<&String> {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&String> = self.imports.get(from).into_iter().flatten().collect();
        while let Some(file) = waiting.pop() {
            if seen.insert(file) {
                waiting.extend(self.imports.get(file).into_iter().flatten());
            }
        }
        seen
    }
}

fn parent(module: &str) -> String {
    module.rsplit_once('/').map_or(String::new(), |(parent, _)| parent.to_owned())
}

fn segments(path: &str) -> Vec<String> {
    path.split("::").map(|segment| segment.trim().to_owned()).filter(|segment| !segment.is_empty()).collect()
}

/// Appends the paths of a `use` tree, each with the name that it brings into scope.
fn expand(prefix: &str, tree: &str, used: &mut Vec<(String, Vec<String>)>) {
    let tree = tree.trim();
    if let Some((head, inner)) = tree.split_once('{') {
        let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
        let mut depth = 0_usize;
        let is_cut = |letter: char| {
            match letter {
                '{' => depth = depth.saturating_add(1),
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            letter == ',' && depth == 0
        };
        inner.split(is_cut).for_each(|part| expand(&format!("{prefix}{head}"), part, used));
        return;
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let mut path = segments(&format!("{prefix}{path}"));
    if path.len() > 1 && path.last().is_some_and(|last| last == "self" || last == "*") {
        path.pop();
    }
    if let Some(name) = alias.map(|alias| alias.trim().to_owned()).or_else(|| path.last().cloned()) {
        used.push((name, path));
    }
}
