//! Programs that print keys: password managers and the client of the keyring.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use secrecy::SecretString;

use crate::child_wait::wait_with_limit;
use crate::error::{Context as _, Result, bail, ensure};

/// Maximum length of a key in bytes.
const MAX_KEY: usize = 16 * 1024;

/// Time that a program may take to print or to store a key. A password manager may ask its user first.
const COMMAND_TIME: Duration = Duration::from_mins(1);

/// Keys that commands printed in this process, so that a password manager asks its user once.
static PRINTED: Mutex<BTreeMap<Vec<String>, SecretString>> = Mutex::new(BTreeMap::new());

/// Returns the keys that programs printed in this process.
pub(super) fn list_printed_keys() -> Vec<SecretString> {
    PRINTED.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
}

/// Returns a key without the line feed at its end. Fails if it cannot be a key.
pub(super) fn check_key(text: &str) -> Result<&str> {
    let key = text.trim();
    ensure!(!key.is_empty(), Invalid, "the key is empty");
    ensure!(key.len() <= MAX_KEY, Invalid, "the key has more than {MAX_KEY} bytes");
    ensure!(
        !key.chars().any(|letter| letter.is_whitespace() || letter.is_control()),
        Invalid,
        "the key has more than one word"
    );
    Ok(key)
}

/// Runs a command without a shell and returns the key that it prints, also if the command ran before: a key can have been
/// replaced. The output is part of no error.
///
/// # Errors
///
/// Fails if the command fails, or if its output cannot be a key.
pub fn run_key_command(argv: &[String]) -> Result<SecretString> {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    run_again(argv, &mut printed)
}

/// Returns the key that a command prints. It runs once in a process.
pub(super) fn run_command(argv: &[String]) -> Result<SecretString> {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = printed.get(argv) {
        return Ok(key.clone());
    }
    run_again(argv, &mut printed)
}

fn run_again(argv: &[String], printed: &mut BTreeMap<Vec<String>, SecretString>) -> Result<SecretString> {
    let output = capture(argv, "")?;
    let text = String::from_utf8(output).ok().context("the output is not UTF-8")?;
    let key = SecretString::from(check_key(&text)?);
    printed.insert(argv.to_vec(), key.clone());
    Ok(key)
}

/// Starts a program without a shell, writes a text to its standard input, and returns its standard output.
pub(super) fn capture(argv: &[String], input: &str) -> Result<Vec<u8>> {
    let (program, words) = argv.split_first().context("it names no program")?;
    let mut command = Command::new(program);
    // An error message of the program could contain the key.
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = windlass_sandbox::start_child(|| command.spawn());
    let mut child = started.with_context(|| format!("{program} cannot be started"))?;
    if let Some(mut stream) = child.stdin.take() {
        // A program that does not read its input reports the reason by its status. A key fits into the pipe.
        let _ = stream.write_all(input.as_bytes());
    }
    let stream = child.stdout.take().context("the output cannot be read")?;
    let (sender, printed) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_KEY).unwrap_or(u64::MAX).saturating_add(2);
        // A partial output is refused below.
        let _ = stream.take(limit).read_to_end(&mut bytes);
        drop(sender.send(bytes));
    });
    let began = Instant::now();
    let Some(status) = wait_with_limit(&mut child, COMMAND_TIME).context("its end is unknown")? else {
        bail!(Unavailable, "{program} did not end within {} seconds", COMMAND_TIME.as_secs());
    };
    ensure!(status.success(), Unavailable, "{program} failed: {status}");
    // A process that the program left behind can keep the output open.
    let bytes = printed.recv_timeout(COMMAND_TIME.saturating_sub(began.elapsed()));
    bytes.ok().with_context(|| format!("the output of {program} did not end"))
}
