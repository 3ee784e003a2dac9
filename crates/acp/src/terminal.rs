//! Output of commands as terminals of the client that only show it.
//!
//! The command runs in the sandbox of the run. A client with the ability `_meta.terminal_output` shows the text that it
//! receives: the call has a terminal as its content, and `_meta` of the updates has the output and the exit code.

use serde_json::{Value, json};

/// Returns the content of a call whose output is a terminal.
pub(crate) fn content(call: &str) -> Value {
    json!({"type": "terminal", "terminalId": call})
}

/// Returns the fields of a new call that create its terminal.
pub(crate) fn begin(call: &str, folder: &std::path::Path) -> Value {
    json!({
        "content": [content(call)],
        "_meta": {"terminal_info": {"terminal_id": call, "cwd": folder}},
    })
}

/// Returns the fields of an update that add output to a terminal.
pub(crate) fn output(call: &str, text: &str) -> Value {
    json!({"_meta": {"terminal_output": {"terminal_id": call, "data": text}}})
}

/// Returns the value of `_meta` for the end of a command. The first line of its result has the exit code.
pub(crate) fn exit(call: &str, result: &str) -> Value {
    json!({"terminal_exit": {"terminal_id": call, "exit_code": exit_code(result), "signal": null}})
}

fn exit_code(result: &str) -> Option<u32> {
    let (_, rest) = result.lines().next()?.split_once("[exit code ")?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_exit_code_is_in_the_first_line() {
        assert_eq!(super::exit_code("[exit code 0; sandbox: none]\nout"), Some(0));
        assert_eq!(super::exit_code("[exit code 137, as of signal 9; sandbox: none]"), Some(137));
        assert_eq!(super::exit_code("[stopped; sandbox: none]\n[exit code 1]"), None);
        assert_eq!(super::exit_code(""), None);
    }
}
