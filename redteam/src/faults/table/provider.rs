//! Faults of providers.

use super::FaultProof::By;
use super::{Row, row};

/// The rows, in the order of the catalogue.
pub(super) const ROWS: &[Row] = &[
    row("provider", "429 with Retry-After", By(&[("client", "pace::rate_limit_headers_set_the_wait")])),
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
        By(&[("sse", "limits::an_endless_line_is_refused_at_the_limit")]),
    ),
    row(
        "provider",
        "malformed argument JSON",
        By(&[
            ("assemble", "arguments::invalid_json_arguments_report_the_offset"),
            ("assemble", "arguments::arguments_nested_too_deeply_are_malformed"),
            ("toolbox", "check::a_key_twice_is_refused_where_something_changes"),
            ("assemble", "arguments::only_enabled_repairs_are_made_and_reported"),
        ]),
    ),
    row(
        "provider",
        "wrong types, missing or extra fields",
        By(&[("toolbox", "check::invalid_arguments_name_path_found_and_expected")]),
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
            ("toolbox", "check::an_unknown_tool_error_lists_the_offered_tools"),
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
            ("loop", "context::a_context_length_refusal_is_retried_once_with_a_shorter_history"),
            ("loop", "context::removed_turns_are_summarized_by_the_model"),
            ("agent", "context::a_prompt_too_long_error_compacts_the_context"),
        ]),
    ),
];
