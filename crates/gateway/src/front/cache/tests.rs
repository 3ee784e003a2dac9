//! Bounds of the cache.

use std::time::Duration;

use bytes::Bytes;

use super::{AnswerCache, CacheOptions, RecordedAnswer};
use crate::GatewayResponse;

fn answer(bytes: usize) -> RecordedAnswer {
    let mut recorded = RecordedAnswer::new(&GatewayResponse::whole(200, Vec::new()));
    assert!(recorded.push(&Bytes::from(vec![b'x'; bytes]), usize::MAX));
    recorded
}

#[test]
fn the_least_recently_used_answer_leaves_first_and_the_bytes_are_bounded() {
    let cache = AnswerCache::new(CacheOptions { bytes: 10_000, ..CacheOptions::default() });
    for key in 0..100_u8 {
        cache.insert([key; 32], answer(1_000));
        // The first answer is used again and again.
        assert!(cache.find(&[0; 32]).is_some(), "{key}");
        let (entries, bytes) = cache.size();
        assert!(bytes <= 10_000 && entries <= 6, "{entries} {bytes}");
    }
    assert!(cache.find(&[99; 32]).is_some() && cache.find(&[50; 32]).is_none());
    cache.insert([7; 32], answer(20_000));
    assert!(cache.find(&[7; 32]).is_none());
    let before = cache.size();
    cache.insert([99; 32], answer(1_000));
    assert_eq!(cache.size(), before);
}

#[test]
fn an_old_answer_is_not_used() {
    let cache = AnswerCache::new(CacheOptions { lifetime: Duration::ZERO, ..CacheOptions::default() });
    cache.insert([1; 32], answer(10));
    std::thread::sleep(Duration::from_millis(2));
    assert!(cache.find(&[1; 32]).is_none());
    assert_eq!(cache.size(), (0, 0));
}

#[test]
fn a_large_answer_is_not_recorded() {
    let mut recorded = RecordedAnswer::new(&GatewayResponse::whole(200, Vec::new()));
    assert!(recorded.push(&Bytes::from_static(b"0123456789"), 100));
    assert!(!recorded.push(&Bytes::from(vec![0; 100]), 100));
}
