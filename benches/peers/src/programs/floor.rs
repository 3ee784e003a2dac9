//! Beside the floor: nobody else is in this program, so that `serde_json` is as quick as it can be.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::FLOOR)
}
