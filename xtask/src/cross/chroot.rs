//! A Debian unstable system in a folder, with a compiler and the sources of its standard library.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::{capture, install};

/// The packages of the archive that the checks need.
const PACKAGES: &str = "rustc cargo rust-src gcc libc6-dev ca-certificates gcc-mingw-w64-x86-64 \
                        g++-mingw-w64-x86-64";
/// The package of `PyPI` that contains the Zig compiler.
const ZIG: &str = "ziglang==0.17.1";
/// Files of this machine with which the system resolves names.
const NETWORK: [&str; 2] = ["etc/resolv.conf", "etc/hosts"];
/// The file of trusted certificates, on this machine and in the system.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Variables that name another file of trusted certificates, in cargo's order.
const CERTIFICATE_VARIABLES: [&str; 2] = ["CARGO_HTTP_CAINFO", "SSL_CERT_FILE"];
/// Prefixes, in lower case, of the variables with the addresses of registries and proxies.
const REGISTRY_VARIABLES: [&str; 8] = [
    "cargo_registries_",
    "cargo_source_",
    "cargo_http_",
    "cargo_net_",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];
/// Mounts what programs need below the folder `$1`, and runs the script `$2` with the folder as the root.
const ENTER: &str = r#"mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
exec chroot "$1" /bin/sh -ec "$2""#;
/// The tools that compile C, as cargo's build scripts ask for them. The wrapper of Zig leaves out the options
/// that clang on macOS has and Zig takes from its own `-target`.
const SETUP: &str = r#"
cat > /usr/local/bin/zig-macos <<'END'
#!/bin/bash
words=()
while [ $# -gt 0 ]; do
  case "$1" in
    --target=*|-mmacosx-version-min=*) ;;
    -arch|-target|-isysroot) shift ;;
    *) words+=("$1") ;;
  esac
  shift
done
exec /opt/zig/ziglang/zig cc -target aarch64-macos "${words[@]}"
END
cat > /usr/local/bin/zig-ar <<'END'
#!/bin/sh
exec /opt/zig/ziglang/zig ar "$@"
END
chmod +x /usr/local/bin/zig-macos /usr/local/bin/zig-ar
"#;
/// The file of cargo's settings in the system.
const CARGO_SETTINGS: &str = "/cargo/config.toml";
const VARIABLES: [(&str, &str); 11] = [
    ("RUSTC_BOOTSTRAP", "1"),
    ("CARGO_HOME", "/cargo"),
    ("CARGO_TARGET_DIR", "/target"),
    ("CC_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-gcc"),
    ("CXX_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-g++"),
    ("CC_aarch64_apple_darwin", "zig-macos"),
    ("AR_aarch64_apple_darwin", "zig-ar"),
    ("SSL_CERT_FILE", CERTIFICATES),
    ("CARGO_HTTP_CAINFO", CERTIFICATES),
    ("HOME", "/root"),
    ("PATH", "/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin"),
];

/// The folder of the system.
pub(super) struct Chroot {
    root: PathBuf,
}

impl Chroot {
    /// Creates the system in `folder`, or returns the one that an earlier run created there.
    pub(super) fn prepare(sh: &Shell, folder: &Path) -> Result<Self> {
        let chroot = Self { root: folder.join("root") };
        let marker = folder.join("ready");
        if marker.exists() {
            chroot.copy_network(sh)?;
            return Ok(chroot);
        }
        if cmd!(sh, "debootstrap --version").quiet().ignore_stderr().read().is_err() {
            bail!("debootstrap is missing: install it, for example with `apt-get install debootstrap`");
        }
        let root = &chroot.root;
        if root.exists() {
            sh.remove_path(root)?;
        }
        sh.create_dir(folder)?;
        println!("cross: creating a Debian system in {}, once", root.display());
        let mut bootstrap = isolate();
        bootstrap.args(["debootstrap", "--variant=minbase", "sid"]).arg(root).stdin(Stdio::null());
        check_success(
            bootstrap.status().context("cannot start `setpriv` of util-linux")?.success(),
            "debootstrap",
        )?;
        chroot.copy_network(sh)?;
        // A mirror can be older than the validity of the archive's release file.
        let update = "apt-get -o Acquire::Check-Valid-Until=false update";
        let install = format!("{update} && apt-get install -y --no-install-recommends {PACKAGES}");
        check_success(chroot.shell(&install)?.success, "the installation of packages")?;
        // The package of certificates has replaced this machine's.
        chroot.copy_network(sh)?;
        let zig = root.join("opt/zig");
        check_success(
            capture::pass_through(cmd!(sh, "python3 -m pip install --quiet --target {zig} {ZIG}"))?,
            "pip",
        )?;
        check_success(chroot.shell(SETUP)?.success, "the setup of compilers")?;
        sh.write_file(marker, "")?;
        Ok(chroot)
    }

    /// Copies this machine's name resolution, trusted certificates and cargo settings into the system.
    fn copy_network(&self, sh: &Shell) -> Result<()> {
        for file in NETWORK {
            let from = Path::new("/").join(file);
            let to = self.root.join(file);
            if from.exists() {
                sh.create_dir(to.parent().context("a file has a folder")?)?;
                sh.copy_file(from, to)?;
            }
        }
        let other = CERTIFICATE_VARIABLES.iter().find_map(|name| sh.var_os(name));
        let certificates = other.map_or_else(|| PathBuf::from(CERTIFICATES), PathBuf::from);
        let settings = install::cargo_home(sh)?.join("config.toml");
        for (from, to) in [(certificates, CERTIFICATES), (settings, CARGO_SETTINGS)] {
            if from.is_file() {
                let to = self.root.join(to.trim_start_matches('/'));
                sh.create_dir(to.parent().context("a file has a folder")?)?;
                sh.copy_file(from, to)?;
            }
        }
        Ok(())
    }

    /// Replaces the copy of the project's files in the system. Files that git ignores are left out.
    pub(super) fn copy_project(&self, sh: &Shell) -> Result<()> {
        let work = self.root.join("work");
        if work.exists() {
            sh.remove_path(&work)?;
        }
        sh.create_dir(&work)?;
        let listed = cmd!(sh, "git ls-files --cached --others --exclude-standard").quiet().read()?;
        // The process can have been started in another folder than the shell's.
        let root = sh.current_dir();
        for file in listed.lines().filter(|file| root.join(file).is_file()) {
            let to = work.join(file);
            sh.create_dir(to.parent().context("a file has a folder")?)?;
            std::fs::copy(root.join(file), &to).with_context(|| format!("cannot copy {file}"))?;
        }
        Ok(())
    }

    /// Runs cargo on the copy of the project. Returns the first error if it failed.
    pub(super) fn cargo(&self, _: &Shell, words: &[&str]) -> Result<Option<String>> {
        println!("$ cargo {}", words.join(" "));
        let finished = self.shell(&format!("cd /work && cargo {}", words.join(" ")))?;
        let is_error = |line: &String| line.starts_with("error");
        let error = finished.lines.into_iter().find(is_error);
        let error = error.unwrap_or_else(|| "error: cargo failed without a message".to_owned());
        Ok((!finished.success).then_some(error))
    }

    /// Runs a script of the shell in the system. Prints its messages as they arrive.
    fn shell(&self, script: &str) -> Result<ScriptEnd> {
        let mut command = isolate();
        command.args(["sh", "-ec", ENTER, "sh"]).arg(&self.root).arg(script);
        command.env_clear().envs(std::env::vars_os().filter(|(name, _)| is_registry_variable(name)));
        command.envs(VARIABLES).env("DEBIAN_FRONTEND", "noninteractive");
        command.stdin(Stdio::null()).stdout(Stdio::inherit()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start `setpriv` of util-linux")?;
        let messages = child.stderr.take().context("stderr was piped")?;
        let lines = capture::read_lines(Box::new(messages), |_| true)?;
        Ok(ScriptEnd { success: child.wait()?.success(), lines })
    }
}

/// Returns a call of the command whose words follow, in mount and process namespaces of its own. The kernel
/// ends the first process of the namespaces with this program, however the latter ends, and with that process
/// all others and the mounts.
fn isolate() -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "unshare", "--mount", "--mount-proc", "--pid", "--fork"]);
    command.arg("--kill-child");
    command
}

fn is_registry_variable(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    REGISTRY_VARIABLES.iter().any(|begin| name.starts_with(begin))
}

/// The end of a script.
struct ScriptEnd {
    success: bool,
    lines: Vec<String>,
}

fn check_success(success: bool, work: &str) -> Result<()> {
    if !success {
        bail!("{work} failed; its messages are above");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use xshell::{Shell, cmd};

    use super::{Chroot, is_registry_variable};

    #[test]
    fn project_files_are_copied_from_any_working_directory() {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        sh.write_file("project/src/only_here.rs", "").unwrap();
        sh.change_dir("project");
        cmd!(sh, "git init --quiet").run().unwrap();
        let chroot = Chroot { root: folder.path().join("root") };
        chroot.copy_project(&sh).unwrap();
        assert!(folder.path().join("root/work/src/only_here.rs").is_file());
    }

    #[test]
    fn settings_of_registries_and_proxies_enter_the_system() {
        for name in [
            "CARGO_REGISTRIES_MIRROR_INDEX",
            "CARGO_SOURCE_CRATES_IO_REPLACE_WITH",
            "HTTPS_PROXY",
            "no_proxy",
        ] {
            assert!(is_registry_variable(OsStr::new(name)), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_REGISTRY_TOKEN", "RUSTFLAGS", "PATH"] {
            assert!(!is_registry_variable(OsStr::new(name)), "{name}");
        }
    }
}
