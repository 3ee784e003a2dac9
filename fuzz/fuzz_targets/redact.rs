//! Fuzzes the property `redact`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::redact(bytes));
