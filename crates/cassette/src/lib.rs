#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![expect(clippy::disallowed_methods, reason = "a cassette is a file")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
mod line;
mod model;

mod recorded;
mod recorder;
mod tap;

mod difference;
mod player;
mod replay;

mod cassette;
#[doc(hidden)]
pub mod test_run;

pub use cassette::{Cassette, CassetteMode, CassetteOptions};
pub use difference::Difference;
pub use error::CassetteError;
use line::Line;
pub use player::{DefinitionsFuture, Fork, Player};
pub use recorder::Recorder;
/// The test takes one argument, the [`Cassette`]. Without a path the file is `tests/cassettes/MODULES/TEST.jsonl` in the
/// folder of the package; the path can be any expression whose value is a path. The test runs with `#[tokio::test]`, unless
/// an attribute below has a name that ends in `test`. It fails with the differences between its run and the cassette.
///
/// ```
/// use windlass_cassette::{Cassette, cassette};
///
/// #[cassette("tests/cassettes/greeting.jsonl")]
/// async fn the_model_greets(cassette: Cassette) -> Result<(), Box<dyn std::error::Error>> {
///     let agent = cassette.agent("openai", "gpt-5.1")?.build()?;
///     assert_eq!(agent.run("Greet me.").await?.into_text()?, "Hello!");
///     Ok(())
/// }
/// ```
pub use windlass_tool_macros::cassette;
