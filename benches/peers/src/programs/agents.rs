//! Beside agent frameworks, which switch `serde_json` to ordered maps and exact numbers.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::AGENTS)
}
