//! Whole tool loops over HTTP, beside agent frameworks and clients.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::LOOPS)
}
