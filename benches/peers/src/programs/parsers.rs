//! Comparison with parsers of whole and of partial JSON.

fn main() -> std::process::ExitCode {
    windlass_peers::run(windlass_peers::PARSERS)
}
