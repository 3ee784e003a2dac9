//! `windlass login` and `windlass logout`: the stored keys of providers.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::process::ExitCode;

use anyhow::Context as _;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use windlass_app::App;
use windlass_app::providers::{ProviderOptions, find_key, remove_key, store_key};

use crate::arguments::{Login, Logout};
use crate::output;

/// Maximum number of bytes that are read for a key.
const MAX_BYTES: u64 = 64 * 1024;

pub(crate) fn login(arguments: &Login, app: &App) -> anyhow::Result<ExitCode> {
    let name = &arguments.provider;
    let vendors = ProviderOptions::default().vendors(app)?;
    let vendor = vendors.get(name).with_context(|| {
        let known = vendors.names().collect::<Vec<_>>().join(", ");
        format!("unknown provider {name}; known providers: {known}")
    })?;
    let key = if io::stdin().is_terminal() { read_hidden(name)? } else { read_pipe()? };
    store_key(app, name, &key)?;
    output::note(&format!("the key of {name} is stored; remove it with: windlass logout {name}"));
    if let (Some(_), Some(variable)) = (find_key(vendor), &vendor.endpoint.key_env) {
        output::note(&format!("{variable} is set in the environment and takes precedence"));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn logout(arguments: &Logout, app: &App) -> anyhow::Result<ExitCode> {
    let name = &arguments.provider;
    anyhow::ensure!(remove_key(app, name)?, "no key of {name} is stored");
    output::note(&format!("the key of {name} is removed"));
    Ok(ExitCode::SUCCESS)
}

fn read_pipe() -> anyhow::Result<String> {
    let mut text = String::new();
    io::stdin().lock().take(MAX_BYTES).read_to_string(&mut text).context("the key cannot be read")?;
    Ok(text)
}

/// Restores the modes of the terminal when it is dropped.
struct Echo(Termios);

impl Drop for Echo {
    fn drop(&mut self) {
        // A terminal that is gone needs no modes.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}

/// Reads a line from the terminal without showing it.
fn read_hidden(name: &str) -> anyhow::Result<String> {
    output::note(&format!("paste the key of {name} (it is not shown), then press Enter:"));
    let modes = tcgetattr(io::stdin()).context("the terminal cannot be used")?;
    let mut hidden = modes.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    let _echo = Echo(modes);
    tcsetattr(io::stdin(), OptionalActions::Flush, &hidden).context("the terminal cannot hide the key")?;
    let mut line = String::new();
    io::stdin().lock().take(MAX_BYTES).read_line(&mut line).context("the key cannot be read")?;
    Ok(line)
}
