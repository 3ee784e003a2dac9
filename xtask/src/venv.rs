//! Installs pinned Python packages once, below the target folder.

use std::path::PathBuf;

use anyhow::Result;
use xshell::{Cmd, Shell, cmd};

use crate::capture;
use crate::project::target;

/// Returns the folder with the programs of a virtual environment that has the packages of `requirements`, or the
/// reason why it is missing. `name` is its folder below the target folder.
pub(crate) fn ensure(
    sh: &Shell,
    requirements: &str,
    name: &str,
) -> Result<std::result::Result<PathBuf, String>> {
    let home = target(sh).join(name);
    let programs = home.join("bin");
    let wanted = sh.read_file(requirements)?;
    let mark = home.join("requirements.txt");
    if sh.read_file(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(Ok(programs));
    }
    let quiet = |command: Cmd<'_>| command.quiet().ignore_stdout().ignore_stderr().run().is_ok();
    if !quiet(cmd!(sh, "python3 -m venv --clear {home}")) {
        return Ok(Err("python3 with venv is missing: install it to run the Python packages".to_owned()));
    }
    println!("installing the packages of {requirements} once");
    let python = programs.join("python");
    let words = ["--quiet", "--disable-pip-version-check", "--no-deps", "-r", requirements];
    let install = || capture::pass_through(cmd!(sh, "{python} -m pip install {words...}"));
    // An index can fail once.
    if !(install()? || install()?) {
        return Ok(Err(format!("{requirements} cannot be installed: the package index is out of reach")));
    }
    sh.write_file(mark, wanted)?;
    Ok(Ok(programs))
}
