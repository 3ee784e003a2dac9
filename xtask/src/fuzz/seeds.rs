//! The initial corpus of a fuzz target: recorded streams, conformance files, known regressions.
//!
//! Seeds are copied only into `fuzz/corpus/TARGET/`, which git ignores.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::Shell;

use crate::corpora;

/// Maximum length of a seed in bytes; longer seeds slow down every mutation without covering more.
const LONGEST: usize = 16 * 1024;

/// The seeds, and the number of files that were too long.
#[derive(Default)]
struct Seeds {
    files: Vec<(String, Vec<u8>)>,
    too_long: usize,
}

impl Seeds {
    fn add(&mut self, name: String, bytes: Vec<u8>) {
        if bytes.len() > LONGEST {
            self.too_long = self.too_long.saturating_add(1);
        } else {
            self.files.push((name, bytes));
        }
    }

    fn add_files(&mut self, sh: &Shell, prefix: &str, paths: &[PathBuf]) -> Result<()> {
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            self.add(format!("{prefix}-{name}"), sh.read_binary_file(path)?);
        }
        Ok(())
    }
}

/// Copies the seeds of `target` into its corpus, and returns a description of the result.
pub(super) fn sow(sh: &Shell, target: &str) -> Result<String> {
    let mut seeds = Seeds::default();
    seeds.add_files(sh, "regression", &files(sh, Path::new(&format!("fuzz/regressions/{target}"))))?;
    match corpora::folder(sh) {
        Some(folder) if target.starts_with("partial_json") => add_json(sh, &folder, &mut seeds)?,
        Some(folder) if target.starts_with("sse") => {
            for api in sh.read_dir(folder.join("streams"))?.iter().filter(|path| path.is_dir()) {
                add_streams(sh, api, &mut seeds)?;
            }
        }
        Some(folder) if target == "wire_request" => {
            for api in sh.read_dir(folder.join("streams"))?.iter().filter(|path| path.is_dir()) {
                add_requests(sh, api, &mut seeds)?;
            }
        }
        Some(folder) if target.starts_with("wire_") => {
            let api = target.trim_start_matches("wire_").replace('_', "-");
            add_streams(sh, &folder.join("streams").join(api), &mut seeds)?;
        }
        Some(folder) if target.starts_with("text_calls") => add_texts(sh, &folder, &mut seeds)?,
        _ => {}
    }
    let corpus = format!("fuzz/corpus/{target}");
    sh.create_dir(&corpus)?;
    for (name, bytes) in &seeds.files {
        sh.write_file(format!("{corpus}/{name}"), bytes)?;
    }
    let too_long = seeds.too_long;
    Ok(format!("{} seeds, {too_long} left out as longer than {LONGEST} bytes", seeds.files.len()))
}

/// Adds the recorded streams of one provider's format.
fn add_streams(sh: &Shell, folder: &Path, seeds: &mut Seeds) -> Result<()> {
    let streams: Vec<PathBuf> = files(sh, folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "sse"))
        .collect();
    let api = folder.file_name().unwrap_or_default().to_string_lossy();
    seeds.add_files(sh, &api, &streams)
}

/// Adds the recorded requests of one provider's format.
fn add_requests(sh: &Shell, folder: &Path, seeds: &mut Seeds) -> Result<()> {
    for path in files(sh, folder) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(name) = name.strip_suffix(".meta.json") else { continue };
        let meta: Value = serde_json::from_str(&sh.read_file(&path)?).context("a description is not JSON")?;
        if meta["request"].is_object() {
            seeds.add(format!("request-{name}"), meta["request"].to_string().into_bytes());
        }
    }
    Ok(())
}

/// Adds outputs of models without native tool calls.
fn add_texts(sh: &Shell, corpora: &Path, seeds: &mut Seeds) -> Result<()> {
    let rows = sh.read_file(corpora.join("text_tools/pairs_llamacpp.jsonl"))?;
    for (index, line) in rows.lines().enumerate() {
        let row: Value = serde_json::from_str(line).context("a row of pairs_llamacpp.jsonl is not JSON")?;
        if let Some(text) = row["input"].as_str() {
            seeds.add(format!("text-{index}"), text.as_bytes().to_vec());
        }
    }
    Ok(())
}

fn add_json(sh: &Shell, corpora: &Path, seeds: &mut Seeds) -> Result<()> {
    seeds.add_files(sh, "suite", &files(sh, &corpora.join("json/JSONTestSuite/test_parsing")))?;
    let oracle = sh.read_file(corpora.join("json/prefix_oracle.jsonl"))?;
    let mut whole = BTreeSet::new();
    for line in oracle.lines() {
        let row: Value = serde_json::from_str(line).context("a row of prefix_oracle.jsonl is not JSON")?;
        whole.extend(row["full"].as_str().map(str::to_owned));
    }
    for (index, text) in whole.into_iter().enumerate() {
        seeds.add(format!("arguments-{index}"), text.into_bytes());
    }
    Ok(())
}

/// Returns the files of a folder, or an empty list if the folder is missing.
fn files(sh: &Shell, folder: &Path) -> Vec<PathBuf> {
    let mut paths = sh.read_dir(folder).unwrap_or_default();
    paths.retain(|path| path.is_file());
    paths
}
