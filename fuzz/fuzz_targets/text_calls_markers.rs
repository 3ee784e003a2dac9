//! Fuzzes the property `text_calls_markers`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::text_calls_markers(bytes));
