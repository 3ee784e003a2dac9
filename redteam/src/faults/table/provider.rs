//! Faults of providers.

use super::FaultProof::By;
use super::{Row, row};

/// The rows, in the order of the catalogue.
pub(super) const ROWS: &[Row] = &[
    row(
        "provider",
        "429 with Retry-After",
        By(&[("client", "pace::the_provider_knows_best_how_long_to_wait")]),
    ),
    row(
        "provider",
        "429 without Retry-After",
        By(&[
            ("client", "retry::five_failures_end_the_attempts_and_are_counted"),
            ("client", "pace::retries_wait_no_longer_than_doubling_waits"),
        ]),
    ),
    row(
        "provider",
        "quota or spend limit reached",
        By(&[("client", "retry::permanent_failures_are_not_retried")]),
    ),
    row("provider", "500/502/503/504/529", By(&[("client", "retry::transient_failures_are_retried")])),
    row(
        "provider",
        "400/401/403/404/413/422",
        By(&[
            ("client", "retry::permanent_failures_are_not_retried"),
            ("client", "failure::the_key_is_in_no_error"),
        ]),
    ),
    row(
        "provider",
        "odd Retry-After",
        By(&[
            ("client", "retry::a_date_to_wait_for_is_read"),
            ("client", "retry::a_wait_beyond_the_total_timer_is_not_waited"),
        ]),
    ),
    row(
        "provider",
        "connection refused, DNS failure, TLS error, reset",
        By(&[
            ("client", "failure::an_unreachable_server_is_named_and_tried_again"),
            ("client", "hostile::every_switch_ends_in_an_error_or_a_right_answer_in_time"),
        ]),
    ),
    row(
        "provider",
        "disconnect after text, before any tool call",
        By(&[
            ("loop", "streaming::a_dropped_stream_runs_no_call_and_is_requested_again"),
            ("client", "scripted::an_interrupted_stream_finishes_no_call"),
        ]),
    ),
    row("provider", "idle stall", By(&[("client", "answer::a_silence_ends_with_the_timer_that_ended_it")])),
    row(
        "provider",
        "keep-alive pings for ever",
        By(&[("client", "pace::only_data_resets_the_idle_timeout")]),
    ),
    row(
        "provider",
        "slow drip",
        By(&[("client", "pace::an_answer_that_never_ends_is_ended_by_the_total_timer")]),
    ),
    row(
        "provider",
        "SSE line that never ends",
        By(&[("sse", "limits::an_endless_line_is_refused_before_it_is_held")]),
    ),
    row(
        "provider",
        "malformed argument JSON",
        By(&[
            ("assemble", "arguments::arguments_that_are_not_json_say_where"),
            ("assemble", "arguments::arguments_nested_too_deeply_are_malformed"),
            ("toolbox", "check::a_key_twice_is_refused_where_something_changes"),
            ("assemble", "arguments::repairs_are_made_where_they_are_asked_for_and_told"),
        ]),
    ),
    row(
        "provider",
        "wrong types, missing or extra fields",
        By(&[("toolbox", "check::wrong_arguments_are_told_with_path_met_and_wanted")]),
    ),
    row(
        "provider",
        "empty arguments",
        By(&[("assemble", "endings::no_arguments_are_an_empty_object_where_the_answer_ended_properly")]),
    ),
    row(
        "provider",
        "unknown tool",
        By(&[
            ("toolbox", "check::an_unknown_tool_is_answered_with_the_ones_there_are"),
            ("toolbox", "check::a_forgiving_name_that_fits_two_tools_fits_none"),
        ]),
    ),
    row(
        "provider",
        "event order",
        By(&[
            ("assemble", "keying::fragments_find_their_call_by_index"),
            ("assemble", "properties::any_sequence_of_chunks_ends_each_call_once"),
        ]),
    ),
    row(
        "provider",
        "stop reason contradicts content",
        By(&[
            ("loop", "streaming::a_stop_with_calls_is_still_calls"),
            ("loop", "streaming::an_empty_answer_is_discarded_and_requested_again_before_the_nudge"),
            ("loop", "streaming::a_refusal_stops_the_run"),
        ]),
    ),
    row(
        "provider",
        "UTF-8 split over chunks",
        By(&[
            ("sse", "properties::the_properties_hold_for_bytes"),
            ("sse", "parser::invalid_utf8_is_replaced_and_the_stream_continues"),
        ]),
    ),
    row(
        "provider",
        "context overflow",
        By(&[
            ("loop", "context::a_provider_that_refuses_the_length_is_asked_once_more_with_less"),
            ("loop", "context::turns_that_have_to_go_are_summed_up_by_the_model"),
            ("agent", "context::a_provider_that_says_the_prompt_is_too_long_gets_a_shorter_one"),
        ]),
    ),
];
