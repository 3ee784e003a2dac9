//! Beside peers that leave `serde_json` as it is.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::PEERS)
}
