//! Comparison with agent frameworks, which enable ordered maps and exact floats in `serde_json`.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::AGENTS)
}
