//! `windlass login` and `windlass logout`: the stored keys of providers.

use std::future::pending;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::process::ExitCode;

use anyhow::Context as _;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use windlass_app::App;
use windlass_app::providers::{
    BrowserLogin, LoginCode, ProviderOptions, find_key, remove_key, store_key, store_key_in_keyring,
};

use crate::arguments::{Login, Logout};
use crate::{browser, output};

/// Maximum number of bytes that are read for a key.
const MAX_BYTES: u64 = 64 * 1024;

pub(crate) async fn login(arguments: &Login, app: &App) -> anyhow::Result<ExitCode> {
    let name = &arguments.provider;
    let options = ProviderOptions::default();
    let vendors = options.vendors(app)?;
    let vendor = vendors.get(name).with_context(|| {
        let known = vendors.names().collect::<Vec<_>>().join(", ");
        format!("unknown provider {name}; known providers: {known}")
    })?;
    let key = if arguments.browser {
        sign_in(&BrowserLogin::begin(vendor, &options).await?, name).await?
    } else if io::stdin().is_terminal() {
        if vendor.endpoint.sign_in.is_some() {
            output::note(&format!("to sign in with the browser instead: windlass login {name} --browser"));
        }
        read_hidden(name)?
    } else {
        read_pipe()?
    };
    let place = if arguments.keyring {
        store_key_in_keyring(app, name, &key)?;
        " in the keyring"
    } else {
        store_key(app, name, &key)?;
        ""
    };
    output::note(&format!("the key of {name} is stored{place}; remove it with: windlass logout {name}"));
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

/// Lets the user sign in with the browser of this machine, or with another one whose address line the user pastes.
async fn sign_in(login: &BrowserLogin, name: &str) -> anyhow::Result<String> {
    output::note(&format!("sign in to {name} at:\n  {}", login.page()));
    if !browser::open(login.page()) {
        output::note("no browser could be opened; open the address by hand");
    }
    output::note(
        "a browser on another machine ends at a page that it cannot open: paste the address of that page here",
    );
    let code = tokio::select! {
        code = login.wait_for_code() => code?,
        code = read_pasted_code() => code?,
    };
    Ok(login.exchange(&code).await?)
}

/// Reads the address to which the browser returned from standard input. The end of the input means that no person is
/// there, so the function then waits for ever.
async fn read_pasted_code() -> anyhow::Result<LoginCode> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().lock().take(MAX_BYTES).read_line(&mut line).map(|_| line)
    });
    let line = read.await.context("the reader of standard input failed")?;
    let line = line.context("the address cannot be read")?;
    if line.is_empty() {
        return pending().await;
    }
    Ok(LoginCode::parse(&line)?)
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
