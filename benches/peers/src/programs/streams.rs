//! Beside parsers of event streams, and of what is in the events.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::STREAMS)
}
