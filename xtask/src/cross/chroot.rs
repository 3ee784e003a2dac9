//! A Debian unstable system in a folder, with a compiler and the sources of its standard library.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::capture;

/// The packages of the archive that the checks need.
const PACKAGES: &str = "rustc cargo rust-src gcc libc6-dev ca-certificates gcc-mingw-w64-x86-64 \
                        g++-mingw-w64-x86-64";
const ARCHIVE: &str = "http://deb.debian.org/debian";
/// The package of PyPI that contains the Zig compiler.
const ZIG: &str = "ziglang==0.17.1";
/// Files of this machine that the network needs.
const NETWORK: [&str; 3] = ["etc/resolv.conf", "etc/hosts", "etc/ssl/certs/ca-certificates.crt"];
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
const VARIABLES: [(&str, &str); 10] = [
    ("RUSTC_BOOTSTRAP", "1"),
    ("CARGO_HOME", "/cargo"),
    ("CARGO_TARGET_DIR", "/target"),
    ("CC_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-gcc"),
    ("CXX_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-g++"),
    ("CC_aarch64_apple_darwin", "zig-macos"),
    ("AR_aarch64_apple_darwin", "zig-ar"),
    ("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt"),
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
        passed(
            capture::pass_through(cmd!(sh, "debootstrap --variant=minbase sid {root} {ARCHIVE}"))?,
            "debootstrap",
        )?;
        chroot.copy_network(sh)?;
        // A mirror can be older than the validity of the archive's release file.
        let update = "apt-get -o Acquire::Check-Valid-Until=false update";
        let install = format!("{update} && apt-get install -y --no-install-recommends {PACKAGES}");
        passed(chroot.shell(&install)?.success, "the installation of packages")?;
        // The package of certificates has replaced this machine's.
        chroot.copy_network(sh)?;
        let zig = root.join("opt/zig");
        passed(
            capture::pass_through(cmd!(sh, "python3 -m pip install --quiet --target {zig} {ZIG}"))?,
            "pip",
        )?;
        passed(chroot.shell(SETUP)?.success, "the setup of compilers")?;
        sh.write_file(marker, "")?;
        Ok(chroot)
    }

    fn copy_network(&self, sh: &Shell) -> Result<()> {
        for file in NETWORK {
            let from = Path::new("/").join(file);
            let to = self.root.join(file);
            if from.exists() {
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
        for file in listed.lines().filter(|file| Path::new(file).is_file()) {
            let to = work.join(file);
            sh.create_dir(to.parent().context("a file has a folder")?)?;
            std::fs::copy(file, &to).with_context(|| format!("cannot copy {file}"))?;
        }
        Ok(())
    }

    /// Runs cargo on the copy of the project. Returns the first error if it failed.
    pub(super) fn cargo(&self, _: &Shell, words: &[&str]) -> Result<Option<String>> {
        println!("$ cargo {}", words.join(" "));
        let finished = self.shell(&format!("cd /work && cargo {}", words.join(" ")))?;
        let is_error = |line: &&str| line.starts_with("error");
        let error = finished.lines.lines().find(is_error).unwrap_or("error: cargo failed without a message");
        Ok((!finished.success).then(|| error.to_owned()))
    }

    /// Runs a script of the shell in the system. The mounts are in a mount namespace of their own, so they
    /// end with the script, also when a signal ends it.
    fn shell(&self, script: &str) -> Result<Finished> {
        let mut command = Command::new("unshare");
        let root = &self.root;
        let inner = r#"mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" /bin/sh -ec "$2""#;
        command.args(["--mount", "--fork", "--kill-child", "sh", "-ec", inner, "sh"]).arg(root).arg(script);
        command.env_clear().envs(VARIABLES).env("DEBIAN_FRONTEND", "noninteractive");
        command.stdin(Stdio::null()).stdout(Stdio::inherit()).stderr(Stdio::piped());
        let output = command.output().context("cannot start `unshare` of util-linux")?;
        let lines = String::from_utf8_lossy(&output.stderr).into_owned();
        print!("{lines}");
        Ok(Finished { success: output.status.success(), lines })
    }
}

/// The end of a script.
struct Finished {
    success: bool,
    lines: String,
}

fn passed(success: bool, work: &str) -> Result<()> {
    if !success {
        bail!("{work} failed; its messages are above");
    }
    Ok(())
}
