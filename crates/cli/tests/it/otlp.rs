//! `run --otlp`: spans of a run at a collector on this machine, which decodes them.

#[cfg(feature = "otlp")]
pub(crate) mod collector;
#[cfg(all(feature = "otlp", feature = "gateway", unix))]
mod gateway;
#[cfg(feature = "otlp")]
mod spans;

#[cfg(not(feature = "otlp"))]
use crate::program::{Place, text};

#[cfg(not(feature = "otlp"))]
#[test]
fn a_build_without_otlp_names_the_feature() {
    let place = Place::new();
    let output = place.run(&["run", "task", "--model", "m", "--otlp", "http://localhost:4318"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("--features otlp"), "{}", text(&output.stderr));
    // The variable can be meant for another program, so it is not an error.
    let mut run = place.command(&["run", "task"]);
    let output = run.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318").output().unwrap();
    assert!(text(&output.stderr).contains("no model is named"), "{}", text(&output.stderr));
}
