//! Panic hook that prints the location and the message without secrets. A tool's panic is caught and fails
//! only its call, but its message can contain any data of the tool.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{Location, PanicHookInfo};

use windlass_app::secrets;
use windlass_redact::Redactor;

use crate::output;

/// Installs the hook.
pub(crate) fn install() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let trace = Backtrace::capture();
        let mut text =
            describe_panic(info.payload_as_str(), info.location(), secrets::environment_redactor());
        if trace.status() == BacktraceStatus::Captured {
            text = format!("{text}\n{trace}");
        }
        output::note(&text);
    }));
}

fn describe_panic(words: Option<&str>, place: Option<&Location<'_>>, redactor: &Redactor) -> String {
    let words = redactor.redact(words.unwrap_or("no message"));
    let place = place.map_or_else(|| "somewhere".to_owned(), ToString::to_string);
    format!("a bug: panicked at {place}: {words}")
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use windlass_redact::Redactor;

    use super::describe_panic;

    // SEC-011
    #[test]
    fn a_panic_is_reported_without_secrets() {
        let redactor = Redactor::new(["sk-planted-1".into()]);
        let text = describe_panic(Some("left: \"sk-planted-1\""), Some(Location::caller()), &redactor);
        assert!(text.contains("panics.rs") && text.ends_with("left: \"[redacted]\""), "{text}");
        assert_eq!(describe_panic(None, None, &redactor), "a bug: panicked at somewhere: no message");
    }
}
