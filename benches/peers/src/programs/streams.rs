//! Comparison with parsers of event streams and of the data in the events.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::STREAMS)
}
