//! `cargo xtask cross`: type-checks crates for platforms whose standard library is not installed.

mod chroot;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use xshell::Shell;

use crate::arguments::Arguments;
use crate::project::{self, Project};
use chroot::Chroot;

pub(crate) const HELP: &str = "\
cargo xtask cross [--target TARGET] [--in FOLDER]

Type-checks crates for other platforms.

The checks are: every pure crate for WebAssembly, and without the standard library those that have a feature
`std`; the facade with default features and with all features but `browser` for Windows; the facade with all
features and the command line for macOS. Prints a table. No checked program runs.

Rustup's standard libraries of other platforms are not needed. The check runs in a chroot of Debian unstable,
whose compiler comes with the sources of its standard library; cargo builds the library from them. MinGW of the
same archive compiles C code for Windows, and `zig cc` (the package ziglang of PyPI) for macOS.

Needs Linux, root, debootstrap, the Debian archive, and about 4 GB. Not a step of ci.

  --target TARGET   checks one target: wasm32-unknown-unknown, x86_64-pc-windows-gnu or aarch64-apple-darwin
  --in FOLDER       keeps the chroot there, instead of in target/cross; a later run uses it again

For example: `cargo xtask cross --target wasm32-unknown-unknown`";

/// Features of the facade that need Unix: elsewhere the first is a compile error, and the second
/// contains it.
const UNIX_FEATURES: [&str; 2] = ["browser", "full"];

/// A platform that is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Platform {
    WebAssembly,
    Windows,
    MacOs,
}

impl Platform {
    const ALL: [Self; 3] = [Self::WebAssembly, Self::Windows, Self::MacOs];

    /// Returns the name that rustc has for the platform.
    const fn target(self) -> &'static str {
        match self {
            Self::WebAssembly => "wasm32-unknown-unknown",
            Self::Windows => "x86_64-pc-windows-gnu",
            Self::MacOs => "aarch64-apple-darwin",
        }
    }

    /// Returns the checks of the platform.
    fn checks(self, project: &Project) -> Vec<Check> {
        if self == Self::WebAssembly {
            let pure = &project.layers.pure;
            let whole = pure.iter().map(|name| Check::new(self, &format!("windlass-{name}"), &[]));
            return whole.chain(core_checks(project)).collect();
        }
        let facade = Check::new(self, "windlass", &[]);
        if self == Self::Windows {
            let features = all_features_but(project, "windlass", &UNIX_FEATURES);
            return vec![facade, Check::new(self, "windlass", &["--features", &features])];
        }
        vec![facade, Check::new(self, "windlass", &["--all-features"]), Check::new(self, "windlass-cli", &[])]
    }
}

/// Returns the features of a package without some of them, separated by commas.
fn all_features_but(project: &Project, package: &str, left_out: &[&str]) -> String {
    let package = project.packages.iter().find(|known| known.name == package);
    let features = package.map(|package| package.features.as_slice()).unwrap_or_default();
    let chosen = features.iter().filter(|feature| !left_out.contains(&feature.as_str()));
    chosen.map(String::as_str).collect::<Vec<_>>().join(",")
}

/// Returns a check without the standard library for each pure crate that has the feature `std`.
fn core_checks(project: &Project) -> impl Iterator<Item = Check> {
    let names = project.layers.pure.iter().map(|name| format!("windlass-{name}"));
    let has_std = |name: &String| {
        let package = project.packages.iter().find(|package| package.name == *name);
        package.is_some_and(|package| package.features.iter().any(|feature| feature == "std"))
    };
    names.filter(has_std).map(|name| Check {
        library: "core,alloc",
        ..Check::new(Platform::WebAssembly, &name, &["--no-default-features"])
    })
}

/// One call of `cargo check`.
struct Check {
    platform: Platform,
    package: String,
    options: Vec<String>,
    /// The crates of the standard library that cargo builds; no other crate of it can be used.
    library: &'static str,
}

impl Check {
    fn new(platform: Platform, package: &str, options: &[&str]) -> Self {
        let options = options.iter().copied().map(str::to_owned).collect();
        Self { platform, package: package.to_owned(), options, library: "std,panic_abort" }
    }

    fn words(&self) -> Vec<String> {
        let library = format!("-Zbuild-std={}", self.library);
        let words =
            ["check", "--locked", &library, "--target", self.platform.target(), "--package", &self.package];
        words.into_iter().map(str::to_owned).chain(self.options.iter().cloned()).collect()
    }
}

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let only = arguments.option("--target")?;
    let folder = arguments.folder("--in")?;
    arguments.finish()?;
    let is_wanted = |platform: &Platform| only.as_deref().is_none_or(|only| only == platform.target());
    let platforms: Vec<Platform> = Platform::ALL.into_iter().filter(is_wanted).collect();
    if platforms.is_empty() {
        let names = Platform::ALL.map(Platform::target).join(", ");
        bail!("--target takes one of: {names}");
    }
    let folder = folder.unwrap_or_else(|| project::target(sh).join("cross"));
    let project = Project::load(sh)?;
    let chroot = Chroot::prepare(sh, &folder)?;
    chroot.copy_project(sh)?;
    let mut rows = Vec::new();
    let mut failed = 0;
    for check in platforms.iter().flat_map(|platform| platform.checks(&project)) {
        let began = Instant::now();
        let words = check.words();
        let error = chroot.cargo(sh, &words.iter().map(String::as_str).collect::<Vec<_>>())?;
        failed += usize::from(error.is_some());
        let options = check.options.join(" ");
        let verdict = error.unwrap_or_else(|| "ok".to_owned());
        let name = format!("{} {options}", check.package);
        let target = check.platform.target();
        rows.push(format!("{target:<24} {name:<32} {:>6.1} s  {verdict}", began.elapsed().as_secs_f64()));
    }
    println!("\n{}", rows.join("\n"));
    println!("\ncross: {} checks passed, {failed} failed", rows.len() - failed);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
