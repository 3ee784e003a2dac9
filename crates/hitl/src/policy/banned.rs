//! Words that a rule must not let through by themselves, because what follows them can be anything.

/// Programs that run what follows their name, with other rights or at another time.
const WRAPPERS: &[&str] = &[
    "builtin",
    "command",
    "doas",
    "env",
    "eval",
    "exec",
    "expect",
    "find",
    "flock",
    "ionice",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "pkexec",
    "script",
    "setsid",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "time",
    "timeout",
    "unshare",
    "watch",
    "xargs",
    ".",
];

/// Shells and interpreters: a script behind them is one thing, anything behind them another.
const INTERPRETERS: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "bun",
    "busybox",
    "dash",
    "deno",
    "fish",
    "gawk",
    "gdb",
    "ksh",
    "lua",
    "mawk",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "sh",
    "sqlite3",
    "tclsh",
    "zsh",
];

/// Programs of which some sub-commands run anything or reach outside: a rule has to say which.
const WITH_SUBCOMMANDS: &[&str] = &[
    "apt", "apt-get", "aws", "brew", "cargo", "docker", "ed", "emacs", "ex", "gcloud", "gh", "git", "go",
    "gradle", "hg", "kubectl", "make", "mvn", "nano", "npm", "npx", "pip", "pip3", "pipx", "pnpm", "podman",
    "rsync", "rustup", "scp", "svn", "tar", "tmux", "uv", "uvx", "vi", "view", "vim", "yarn",
];

/// Whether a rule that allows these words would allow anything at all.
pub(super) fn is_open_ended(argv: &[String]) -> bool {
    let Some((program, rest)) = argv.split_first() else { return false };
    let program = program.rsplit('/').next().unwrap_or(program).to_lowercase();
    let name = program.as_str();
    // `find` alone only looks; what it may be given is checked by itself.
    if name == "find" {
        return rest.iter().any(|word| word.starts_with("-exec") || word.starts_with("-ok"));
    }
    if WRAPPERS.contains(&name) {
        return true;
    }
    let bare = rest.first().is_none_or(|word| word.starts_with('-'));
    bare && (INTERPRETERS.contains(&name) || WITH_SUBCOMMANDS.contains(&name))
}

#[cfg(test)]
mod tests;
