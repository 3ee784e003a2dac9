//! The workspace as cargo describes it: its crates, their dependencies and the layer table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::{Shell, cmd};

/// The kind of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Build,
    Dev,
}

/// An entry in the dependency sections of a manifest.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// True if it is given by path without a version, which only a dev-dependency may be.
    pub(crate) path_only: bool,
}

/// A workspace member.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    /// The folder relative to the project's root, such as `crates/sse`.
    pub(crate) folder: String,
    pub(crate) readme: Option<String>,
    pub(crate) benches: Vec<String>,
    pub(crate) has_library: bool,
    /// False if the manifest has `publish = false`.
    pub(crate) is_published: bool,
    /// The names of the features, without those that optional dependencies define.
    pub(crate) features: Vec<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

impl Package {
    /// Returns the name in the layer table for a crate under `crates/`, or `None` for xtask and other
    /// members.
    pub(crate) fn layer_name(&self) -> Option<&str> {
        self.folder.strip_prefix("crates/")
    }
}

/// The table `[workspace.metadata.layers]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct LayerTable {
    pub(crate) order: Vec<Layer>,
    pub(crate) pure: Vec<String>,
    pub(crate) impure_dependencies: Vec<String>,
    /// The largest number of packages that the tests of a crate may compile.
    pub(crate) test_packages: Vec<(String, u64)>,
}

/// A row of the layer table.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) name: String,
    pub(crate) crates: Vec<String>,
}

/// The members, sorted by name, and the layer table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Project {
    pub(crate) packages: Vec<Package>,
    pub(crate) layers: LayerTable,
}

impl Project {
    /// Reads the manifests without resolving, so it works without a registry and with a stale lock file.
    pub(crate) fn load(sh: &Shell) -> Result<Self> {
        Self::parse(&metadata(sh, &["--no-deps"])?)
    }

    fn parse(metadata: &Value) -> Result<Self> {
        let root = text(metadata, "workspace_root").context("cargo metadata names no workspace root")?;
        let mut packages = Vec::new();
        for package in list(metadata, "packages") {
            packages.push(parse_package(package, Path::new(&root))?);
        }
        packages.sort_by(|left, right| left.name.cmp(&right.name));
        let layers = parse_layers(&metadata["metadata"]["layers"])?;
        Ok(Self { packages, layers })
    }

    /// Returns the crates under `crates/`.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.layer_name().is_some())
    }

    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }
}

/// The normal and build dependencies of each package, by name, in the whole resolved graph.
pub(crate) type Reach = BTreeMap<String, Vec<String>>;

/// Resolves all dependencies from the lock file, downloads missing ones, and reads the edges between
/// packages. Versions of one package are merged, because the rules name packages, not versions.
pub(crate) fn resolve(sh: &Shell) -> Result<Reach> {
    edges(&metadata(sh, &[])?)
}

fn edges(metadata: &Value) -> Result<Reach> {
    let names: BTreeMap<String, String> = list(metadata, "packages")
        .filter_map(|package| Some((text(package, "id")?, text(package, "name")?)))
        .collect();
    let mut reach = Reach::new();
    for node in list(&metadata["resolve"], "nodes") {
        let Some(name) = text(node, "id").and_then(|id| names.get(&id)) else {
            bail!("cargo metadata has a node without a package");
        };
        let needed = reach.entry(name.clone()).or_default();
        for edge in list(node, "deps") {
            let is_used = list(edge, "dep_kinds").any(|kind| kind["kind"].as_str() != Some("dev"));
            let target = text(edge, "pkg").and_then(|id| names.get(&id));
            if let (true, Some(target)) = (is_used, target) {
                needed.push(target.clone());
            }
        }
    }
    Ok(reach)
}

/// A version of Rust, and the package that needs it.
pub(crate) type TiedVersion = ((u32, u32), String);

/// The versions of Rust that packages need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirements {
    /// The members of the workspace.
    pub(crate) members: BTreeSet<String>,
    /// The `rust-version` of each package that has one. Of several versions of one package the newest counts.
    pub(crate) versions: BTreeMap<String, String>,
    /// The normal and build dependencies of each package with all features.
    pub(crate) edges: Reach,
}

/// Resolves all dependencies with all features, and reads the versions of Rust that they need.
pub(crate) fn requirements(sh: &Shell) -> Result<Requirements> {
    let metadata = metadata(sh, &["--all-features"])?;
    let mut requirements = Requirements { edges: edges(&metadata)?, ..Requirements::default() };
    for package in list(&metadata, "packages") {
        let Some(name) = text(package, "name") else { continue };
        // A package of a registry has a source, a member of the workspace has none.
        if package["source"].is_null() {
            requirements.members.insert(name.clone());
        }
        requirements.versions.extend(text(package, "rust_version").map(|version| (name, version)));
    }
    Ok(requirements)
}

/// Returns cargo's build folder.
pub(crate) fn target(sh: &Shell) -> PathBuf {
    let folder = sh.var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    sh.current_dir().join(folder)
}

/// Returns the root of the project. `cargo run` provides it in `CARGO_MANIFEST_DIR`; a program that is
/// started directly uses the folder in which it was built. Working trees with a shared target folder also
/// share the program, so the latter can be another tree.
pub(crate) fn root() -> PathBuf {
    let own = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let own = Path::new(&own);
    own.parent().unwrap_or(own).to_path_buf()
}

fn metadata(sh: &Shell, extra: &[&str]) -> Result<Value> {
    let output = cmd!(sh, "cargo metadata --format-version 1 --locked {extra...}").quiet().read()?;
    serde_json::from_str(&output).context("cargo metadata printed something that is not JSON")
}

fn parse_package(package: &Value, root: &Path) -> Result<Package> {
    let name = text(package, "name").context("a package without a name")?;
    let manifest = text(package, "manifest_path").context("a package without a manifest")?;
    let folder = Path::new(&manifest).parent().and_then(|folder| folder.strip_prefix(root).ok());
    let folder = folder.with_context(|| format!("`{name}` is outside of the project"))?;
    let targets_of = |kind: &str| -> Vec<String> {
        let is_of = |target: &&Value| list(target, "kind").any(|value| value.as_str() == Some(kind));
        list(package, "targets").filter(is_of).filter_map(|target| text(target, "name")).collect()
    };
    Ok(Package {
        folder: folder.to_string_lossy().replace('\\', "/"),
        version: text(package, "version").unwrap_or_default(),
        description: text(package, "description").unwrap_or_default(),
        readme: text(package, "readme"),
        benches: targets_of("bench"),
        features: package["features"].as_object().into_iter().flat_map(|all| all.keys().cloned()).collect(),
        has_library: !targets_of("lib").is_empty() || !targets_of("proc-macro").is_empty(),
        is_published: package["publish"].as_array().is_none_or(|registries| !registries.is_empty()),
        dependencies: list(package, "dependencies").filter_map(parse_dependency).collect(),
        name,
    })
}

fn parse_dependency(dependency: &Value) -> Option<Dependency> {
    let kind = match dependency["kind"].as_str() {
        Some("dev") => Kind::Dev,
        Some("build") => Kind::Build,
        _ => Kind::Normal,
    };
    let path_only = dependency["path"].is_string() && dependency["req"].as_str() == Some("*");
    Some(Dependency { name: text(dependency, "name")?, kind, path_only })
}

fn parse_layers(table: &Value) -> Result<LayerTable> {
    let names = |value: &Value, key: &str| {
        list(value, key).filter_map(|name| Some(name.as_str()?.to_owned())).collect()
    };
    let mut order = Vec::new();
    for layer in list(table, "order") {
        let name = text(layer, "name").context("a layer without a name in [workspace.metadata.layers]")?;
        order.push(Layer { name, crates: names(layer, "crates") });
    }
    if order.is_empty() {
        bail!("Cargo.toml has no [workspace.metadata.layers] with an `order`");
    }
    Ok(LayerTable {
        order,
        pure: names(table, "pure"),
        impure_dependencies: names(table, "impure-dependencies"),
        test_packages: table["test-packages"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, most)| Some((name.clone(), most.as_u64()?)))
            .collect(),
    })
}

fn text(value: &Value, key: &str) -> Option<String> {
    Some(value[key].as_str()?.to_owned())
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value[key].as_array().into_iter().flatten()
}
