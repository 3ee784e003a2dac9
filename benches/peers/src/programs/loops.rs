//! Comparison of whole tool loops over HTTP with agent frameworks and clients.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::LOOPS)
}
