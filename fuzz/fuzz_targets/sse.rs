//! Fuzzes the property `sse`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::sse(bytes));
