//! Beside agent frameworks, in a program of their own: they switch `serde_json` to ordered maps.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::AGENTS)
}
