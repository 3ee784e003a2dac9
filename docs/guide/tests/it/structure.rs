//! The table of contents names every page, every page is tested, and every relative link leads to a file.
#![expect(clippy::disallowed_methods, reason = "the pages are files, and are read here")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages without the section about errors: the first one has no program of its own.
const WITHOUT_ERRORS: [&str; 1] = ["introduction.md"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file of a page or a link can be read")
}

/// Returns the names of the pages: all Markdown files except the table of contents.
fn pages() -> BTreeSet<String> {
    let files = fs::read_dir(folder()).expect("the folder of the pages exists");
    let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    names
        .filter(|name| Path::new(name).extension().is_some_and(|kind| kind == "md") && name != "SUMMARY.md")
        .collect()
}

/// Returns the targets of the links in a text, without those in blocks of code.
fn links(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut links = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if !is_code {
            links
                .extend(line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
        }
    }
    links
}

/// Returns the anchor that renderers derive from a heading.
fn anchor(heading: &str) -> String {
    let letters = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = letters.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the problem with a relative link of a file, if it has one.
fn broken(file: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (target, heading) = link.split_once('#').unwrap_or((link, ""));
    let parent = file.parent().expect("a file has a folder");
    let path = if target.is_empty() { file.to_path_buf() } else { parent.join(target) };
    if !path.exists() {
        return Some(format!("{}: {link} does not exist", file.display()));
    }
    let has_heading = || {
        let text = read(&path);
        text.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == heading)
    };
    (!heading.is_empty() && !has_heading())
        .then(|| format!("{}: {link} names a heading that does not exist", file.display()))
}

#[test]
fn the_table_of_contents_names_every_page_once() {
    let summary = links(&read(&folder().join("SUMMARY.md")));
    let named: BTreeSet<String> = summary.iter().cloned().collect();
    assert_eq!(summary.len(), named.len(), "a page is named twice");
    assert_eq!(named, pages());
}

#[test]
fn the_index_for_models_names_every_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = links(&read(&root.join("llms.txt")));
    for page in pages() {
        let link = format!("docs/guide/src/{page}");
        assert!(named.contains(&link), "llms.txt does not name {link}");
    }
}

#[test]
fn the_programs_of_every_page_are_tests() {
    let library = read(&folder().with_file_name("lib.rs"));
    for page in pages() {
        assert!(library.contains(&format!("\"{page}\"")), "lib.rs does not include {page}");
    }
}

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = pages().iter().map(|page| folder().join(page)).collect();
    files.extend(["SUMMARY.md"].map(|name| folder().join(name)));
    files.extend(["llms.txt", "docs/STABILITY.md"].map(|name| root.join(name)));
    let problems: Vec<String> = files
        .iter()
        .flat_map(|file| links(&read(file)).into_iter().filter_map(|link| broken(file, &link)))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_broken_link_is_found() {
    let page = folder().join("introduction.md");
    assert!(broken(&page, "no-such-page.md").is_some());
    assert!(broken(&page, "tools.md#no-such-heading").is_some());
    assert!(broken(&page, "tools.md#what-can-go-wrong").is_none());
}

#[test]
fn every_crate_has_one_tier_of_stability() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = read(&root.join("docs/STABILITY.md"));
    let rows = text.lines().filter(|line| ["| 1:", "| 2:", "| 3:"].iter().any(|tier| line.starts_with(tier)));
    let mut named: Vec<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    named.sort_unstable();
    let folders = fs::read_dir(root.join("crates")).expect("the folder of the crates exists");
    let mut crates: Vec<String> =
        folders.map(|folder| folder.expect("a folder").file_name().to_string_lossy().into_owned()).collect();
    crates.sort_unstable();
    assert_eq!(named, crates);
}

#[test]
fn pages_have_the_same_form() {
    for page in pages() {
        let text = read(&folder().join(&page));
        let lines = text.lines().count();
        assert!(text.starts_with("# "), "{page} has no title");
        assert!((40..=300).contains(&lines), "{page} has {lines} lines");
        if WITHOUT_ERRORS.contains(&page.as_str()) {
            continue;
        }
        assert!(text.contains("```rust"), "{page} has no program");
        assert!(text.contains("\n## What can go wrong\n"), "{page} does not list errors");
    }
}
