//! Wrappers, which start the program that their words name, and the place where the words of this program
//! begin.

/// A program that starts another program.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) name: &'static str,
    /// The options whose value is the next word.
    pub(crate) valued: &'static [&'static str],
    /// The number of operands before the inner program.
    pub(crate) operands: usize,
    /// Set if a word with spaces is a command for a shell.
    pub(crate) texts: bool,
}

const fn plain(name: &'static str) -> Wrapper {
    wrapper_with_values(name, &[], 0)
}

const fn wrapper(name: &'static str, operands: usize) -> Wrapper {
    wrapper_with_values(name, &[], operands)
}

const fn wrapper_with_values(
    name: &'static str,
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, valued, operands, texts: false }
}

const fn texts(name: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, valued, operands, texts: true }
}

/// The entry for all programs whose name has the shape of a wrapper: `x-run`, `nix-shell`.
static BY_SHAPE: Wrapper = texts("", &[], 0);

/// Returns the wrapper entry for a name with the shape of a wrapper.
pub(super) fn find_by_shape(name: &str) -> Option<&'static Wrapper> {
    let ends = ["-exec", "-run", "-shell", "-spawn", "-launch", "-wrapper", "xargs"];
    let starts =
        ["sudo", "qemu-", "ld-linux", "ld-musl", "ld.so", "ld64.so", "proxychains", "box64", "box86"];
    let fits =
        ends.iter().any(|end| name.ends_with(end)) || starts.iter().any(|start| name.starts_with(start));
    fits.then_some(&BY_SHAPE)
}

const SUDO: &[&str] = &[
    "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir",
    "--host", "--prompt",
];

pub(crate) const WRAPPERS: &[Wrapper] = &[
    wrapper_with_values("env", &["-u", "-C", "--unset", "--chdir", "-P"], 0),
    plain("command"),
    plain("builtin"),
    wrapper_with_values("exec", &["-a"], 0),
    wrapper_with_values("sudo", SUDO, 0),
    wrapper_with_values("doas", &["-u", "-C"], 0),
    wrapper_with_values("pkexec", &["--user"], 0),
    plain("nohup"),
    wrapper_with_values("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper_with_values("nice", &["-n", "--adjustment"], 0),
    wrapper_with_values("ionice", &["-c", "-n"], 0),
    wrapper("chrt", 1),
    wrapper("taskset", 1),
    plain("setsid"),
    plain("setpriv"),
    plain("prlimit"),
    plain("choom"),
    plain("uclampset"),
    plain("setarch"),
    plain("linux32"),
    plain("linux64"),
    plain("i386"),
    plain("x86_64"),
    plain("arch"),
    plain("numactl"),
    plain("catchsegv"),
    plain("eatmydata"),
    plain("tsocks"),
    plain("torsocks"),
    plain("torify"),
    wrapper("faketime", 1),
    wrapper_with_values("cpulimit", &["-l", "-p", "-e"], 0),
    wrapper_with_values("cgexec", &["-g"], 0),
    plain("chpst"),
    plain("softlimit"),
    wrapper("setuidgid", 1),
    wrapper("envuidgid", 1),
    wrapper("envdir", 1),
    plain("s6-setsid"),
    plain("tini"),
    plain("dumb-init"),
    wrapper("gosu", 1),
    wrapper("su-exec", 1),
    plain("daemonize"),
    plain("daemon"),
    plain("start-stop-daemon"),
    plain("runcon"),
    plain("capsh"),
    wrapper_with_values("aa-exec", &["-p"], 0),
    wrapper_with_values(
        "xargs",
        &["-I", "-n", "-P", "-d", "-a", "-L", "-s", "-E", "--max-args", "--max-procs", "--delimiter"],
        0,
    )
    .with_texts(),
    texts("parallel", &["-j", "--jobs"], 0),
    plain("busybox"),
    plain("toybox"),
    plain("coreutils"),
    plain("uutils"),
    plain("sbase-box"),
    plain("ubase-box"),
    wrapper_with_values("time", &["-f", "-o"], 0),
    wrapper_with_values("stdbuf", &["-i", "-o", "-e"], 0),
    plain("unbuffer"),
    wrapper_with_values("strace", &["-o", "-e", "-p", "-s", "-u"], 0),
    wrapper_with_values("ltrace", &["-o", "-e", "-p", "-s", "-u"], 0),
    plain("truss"),
    plain("valgrind"),
    plain("rr"),
    plain("perf"),
    plain("heaptrack"),
    texts("hyperfine", &["-n", "-w", "-m"], 0),
    wrapper("chroot", 1),
    plain("unshare"),
    wrapper_with_values("nsenter", &["-t"], 0),
    wrapper("flock", 1),
    texts("watch", &["-n"], 0),
    texts("watchexec", &["-w", "-e"], 0),
    texts("entr", &[], 0),
    texts("nodemon", &["-x", "--exec", "-w", "-e"], 0),
    texts("concurrently", &[], 0),
    plain("cross-env"),
    plain("dotenv"),
    wrapper_with_values("script", &["-c", "--command"], 0),
    plain("fakeroot"),
    plain("fakechroot"),
    plain("proot"),
    wrapper_with_values("systemd-run", &["-p", "-u"], 0),
    plain("systemd-inhibit"),
    plain("firejail"),
    plain("bwrap"),
    Wrapper { name: "ssh", valued: &["-p", "-i", "-l", "-o", "-F", "-J"], operands: 1, texts: true },
    plain("coproc"),
    wrapper_with_values("runuser", &["-u", "-g"], 0),
    plain("su"),
    wrapper("sg", 1),
    plain("chronic"),
    plain("dbus-launch"),
    plain("dbus-run-session"),
    wrapper_with_values("xvfb-run", &["-s", "-n", "-f"], 0),
    texts("npx", &["-p", "--package"], 0),
    plain("bunx"),
    plain("pnpx"),
    plain("uvx"),
    plain("pipx"),
    texts("trap", &[], 0),
    plain("wine"),
    plain("distrobox"),
    plain("toolbox"),
];

impl Wrapper {
    const fn with_texts(self) -> Self {
        Self { texts: true, ..self }
    }
}
