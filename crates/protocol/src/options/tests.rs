//! Options of an agent and of a run are merged field by field.

use crate::WebSearch;

use super::*;

/// Returns options with a value in each field.
fn all_set() -> RequestOptions {
    RequestOptions {
        hosted_tools: vec![WebSearch::default().into()],
        tool_choice: ToolChoice::Required,
        parallel_calls: ParallelCalls::Forbid,
        max_output_tokens: Some(100),
        temperature: Some(0.5),
        top_p: Some(0.9),
        stop_sequences: vec!["end".to_owned()],
        seed: Some(7),
        reasoning: Some(Effort::Low),
        verbosity: Some(Verbosity::High),
        service_tier: Some("flex".to_owned()),
        prompt_cache: PromptCache::Off,
        stored_cache: Some("cachedContents/1".to_owned()),
        metadata: BTreeMap::from([("team".to_owned(), "tools".to_owned())]),
        extra: Map::from_iter([("user".to_owned(), "u".into())]),
    }
}

#[test]
fn a_merge_keeps_each_option_that_only_one_side_sets() {
    let (set, none) = (all_set(), RequestOptions::default());
    assert_eq!(none.merge(&set), set);
    assert_eq!(set.merge(&none), set);
}
