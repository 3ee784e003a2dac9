//! Comparison with the floor. No other peer is linked, so `serde_json` is as fast as possible.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::FLOOR)
}
