//! Fuzzes the property `partial_json_repair`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::partial_json_repair(bytes));
