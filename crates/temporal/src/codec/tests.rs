//! Tests of the codec.

use std::sync::Arc;

use super::{Cipher, ENCODING, ENCRYPTED, LARGEST_PAYLOAD, Payload, RunCodec, STORED};
use crate::FolderContentStore;

fn payload(length: usize) -> Payload {
    let data = b"secret ".iter().copied().cycle().take(length).collect();
    Payload { metadata: [(ENCODING.to_owned(), b"json/plain".to_vec())].into(), data, ..Payload::default() }
}

fn codec(folder: &tempfile::TempDir, key: Option<u8>) -> RunCodec {
    let cipher = key.map(|byte| Cipher::new(&[byte; 32]).unwrap());
    RunCodec::new(Arc::new(FolderContentStore::new(folder.path())), cipher)
}

#[tokio::test]
async fn payloads_survive_with_and_without_a_key_at_every_size() {
    let folder = tempfile::tempdir().unwrap();
    for key in [None, Some(1)] {
        let codec = codec(&folder, key);
        for length in [0, 1, LARGEST_PAYLOAD, LARGEST_PAYLOAD + 1, 3 * LARGEST_PAYLOAD] {
            let original = payload(length);
            let encoded = codec.encode_payload(original.clone()).await.unwrap();
            assert!(encoded.data.len() <= LARGEST_PAYLOAD);
            assert_eq!(codec.decode_payload(encoded).await.unwrap(), original);
        }
    }
}

#[tokio::test]
async fn neither_the_payload_nor_the_store_is_readable_with_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let codec = codec(&folder, Some(1));
    let small = codec.encode_payload(payload(100)).await.unwrap();
    assert_eq!(small.metadata[ENCODING], ENCRYPTED);
    assert!(!small.data.windows(6).any(|window| window == b"secret"));
    let large = codec.encode_payload(payload(2 * LARGEST_PAYLOAD)).await.unwrap();
    assert_eq!(large.metadata[ENCODING], STORED);
    let hash = String::from_utf8(large.data).unwrap();
    let stored = std::fs::read(folder.path().join(&hash[..2]).join(&hash[2..])).unwrap();
    assert!(!stored.windows(6).any(|window| window == b"secret"));
}

#[tokio::test]
async fn a_payload_is_not_readable_with_another_key_without_one_or_after_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut encoded = codec(&folder, Some(1)).encode_payload(payload(100)).await.unwrap();
    assert!(codec(&folder, Some(2)).decode_payload(encoded.clone()).await.is_err());
    assert!(codec(&folder, None).decode_payload(encoded.clone()).await.is_err());
    if let Some(last) = encoded.data.last_mut() {
        *last ^= 1;
    }
    assert!(codec(&folder, Some(1)).decode_payload(encoded).await.is_err());
}

#[tokio::test]
async fn a_damaged_or_missing_value_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let codec = codec(&folder, None);
    let encoded = codec.encode_payload(payload(2 * LARGEST_PAYLOAD)).await.unwrap();
    let hash = String::from_utf8(encoded.data.clone()).unwrap();
    let file = folder.path().join(&hash[..2]).join(&hash[2..]);
    std::fs::write(&file, b"other").unwrap();
    assert!(codec.decode_payload(encoded.clone()).await.is_err());
    std::fs::remove_file(&file).unwrap();
    assert!(codec.decode_payload(encoded).await.is_err());
}

#[tokio::test]
async fn a_hash_from_outside_does_not_leave_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("outside"), b"text").unwrap();
    let inner = FolderContentStore::new(folder.path().join("inner"));
    let codec = RunCodec::new(Arc::new(inner), None);
    for hash in ["../outside", "..", "", "/etc/passwd", "é"] {
        let stored = super::to_payload(STORED, hash.as_bytes().to_vec());
        assert!(codec.decode_payload(stored).await.is_err(), "{hash}");
    }
}
