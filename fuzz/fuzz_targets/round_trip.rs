//! Fuzzes the property `round_trip`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::round_trip(bytes));
