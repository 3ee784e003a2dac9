//! Fuzzes the property `text_calls_tags`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::text_calls_tags(bytes));
