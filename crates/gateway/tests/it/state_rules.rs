//! The rules of a store, run on each implementation.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;
use windlass_gateway::{MemoryStateStore, StateError, StateLimits, StateStore};

/// A store, and the folder of its files.
struct Stand {
    store: Arc<dyn StateStore>,
    _folder: tempfile::TempDir,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Memory,
    #[cfg(feature = "sqlite")]
    Sqlite,
}

impl Kind {
    fn all() -> Vec<Self> {
        vec![
            Self::Memory,
            #[cfg(feature = "sqlite")]
            Self::Sqlite,
        ]
    }

    #[cfg_attr(
        not(feature = "sqlite"),
        expect(clippy::unused_async, reason = "the store on disk opens a file")
    )]
    async fn open(self, limits: StateLimits) -> Stand {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn StateStore> = match self {
            Self::Memory => Arc::new(MemoryStateStore::new(limits)),
            #[cfg(feature = "sqlite")]
            Self::Sqlite => {
                let path = folder.path().join("state").join("responses.db");
                Arc::new(windlass_gateway::SqliteStateStore::open(path, limits).await.unwrap())
            }
        };
        Stand { store, _folder: folder }
    }
}

fn text(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

async fn get(store: &dyn StateStore, owner: &str, id: &str) -> Option<String> {
    let value = store.get(owner, id).await.unwrap()?;
    Some(String::from_utf8(value.to_vec()).unwrap())
}

#[tokio::test]
async fn a_value_has_an_owner_and_an_id() {
    for kind in Kind::all() {
        let Stand { store, _folder } = kind.open(StateLimits::default()).await;
        assert_eq!(get(&*store, "ann", "a").await, None, "{kind:?}");
        // Each part of a key can be empty, have a separator, or be a pattern of the database.
        let names = ["", "a", "A", "a/b", "a'b", "%", "_", "ä", "a\u{0}b"];
        for (number, owner) in names.iter().enumerate() {
            for id in names {
                store.insert(owner, id, text(&format!("{number}-{id}"))).await.unwrap();
            }
        }
        for (number, owner) in names.iter().enumerate() {
            for id in names {
                let expected = Some(format!("{number}-{id}"));
                assert_eq!(get(&*store, owner, id).await, expected, "{kind:?} {owner:?} {id:?}");
            }
        }
        assert_eq!(get(&*store, "ann", "a").await, None, "{kind:?}");
        store.insert("a", "a", text("second")).await.unwrap();
        assert_eq!(get(&*store, "a", "a").await.as_deref(), Some("second"), "{kind:?}");
    }
}

#[tokio::test]
async fn a_removed_value_is_gone_for_its_owner_only() {
    for kind in Kind::all() {
        let Stand { store, _folder } = kind.open(StateLimits::default()).await;
        store.insert("ann", "a", text("1")).await.unwrap();
        store.insert("bob", "a", text("2")).await.unwrap();
        assert!(!store.remove("cid", "a").await.unwrap(), "{kind:?}");
        assert!(
            store.remove("ann", "a").await.unwrap() && !store.remove("ann", "a").await.unwrap(),
            "{kind:?}"
        );
        assert_eq!(get(&*store, "ann", "a").await, None, "{kind:?}");
        assert_eq!(get(&*store, "bob", "a").await.as_deref(), Some("2"), "{kind:?}");
    }
}

#[tokio::test]
async fn replace_is_a_compare_and_swap() {
    for kind in Kind::all() {
        let Stand { store, _folder } = kind.open(StateLimits::default()).await;
        let (old, new) = (text("old"), text("new"));
        assert!(!store.replace("ann", "a", &old, new.clone()).await.unwrap(), "{kind:?}: nothing is stored");
        assert_eq!(get(&*store, "ann", "a").await, None, "{kind:?}");
        store.insert("ann", "a", old.clone()).await.unwrap();
        assert!(store.replace("ann", "a", &old, new.clone()).await.unwrap(), "{kind:?}");
        assert!(!store.replace("ann", "a", &old, text("late")).await.unwrap(), "{kind:?}");
        assert!(!store.replace("bob", "a", &new, text("late")).await.unwrap(), "{kind:?}");
        assert_eq!(get(&*store, "ann", "a").await.as_deref(), Some("new"), "{kind:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_replacements_do_not_lose_one_another() {
    for kind in Kind::all() {
        let Stand { store, _folder } = kind.open(StateLimits::default()).await;
        store.insert("ann", "count", text("0")).await.unwrap();
        let count = |store: Arc<dyn StateStore>| async move {
            let mut done = 0;
            while done < 10 {
                let old = store.get("ann", "count").await.unwrap().unwrap();
                let number: u32 = std::str::from_utf8(&old).unwrap().parse().unwrap();
                if store.replace("ann", "count", &old, text(&(number + 1).to_string())).await.unwrap() {
                    done += 1;
                }
            }
        };
        let tasks: Vec<_> = (0..4).map(|_| tokio::spawn(count(store.clone()))).collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(get(&*store, "ann", "count").await.as_deref(), Some("40"), "{kind:?}");
    }
}

#[tokio::test]
async fn a_value_that_is_too_large_changes_nothing() {
    for kind in Kind::all() {
        let limits = StateLimits { owner_bytes: 10_000, bytes: 20_000, ..StateLimits::default() };
        let Stand { store, _folder } = kind.open(limits).await;
        store.insert("ann", "a", text("1")).await.unwrap();
        let large = Bytes::from(vec![b'x'; 10_000]);
        for result in [
            store.insert("ann", "a", large.clone()).await,
            store.replace("ann", "a", &text("1"), large.clone()).await.map(drop),
        ] {
            assert!(matches!(result, Err(StateError::TooLarge { limit: 10_000, .. })), "{kind:?}");
        }
        assert_eq!(get(&*store, "ann", "a").await.as_deref(), Some("1"), "{kind:?}");
    }
}

#[tokio::test]
async fn the_values_that_were_not_used_for_the_longest_time_are_displaced() {
    for kind in Kind::all() {
        let limits = StateLimits { owner_values: 3, ..StateLimits::default() };
        let Stand { store, _folder } = kind.open(limits).await;
        store.insert("bob", "z", text("z")).await.unwrap();
        for id in ["a", "b", "c"] {
            store.insert("ann", id, text(id)).await.unwrap();
        }
        assert!(get(&*store, "ann", "a").await.is_some(), "{kind:?}");
        store.insert("ann", "d", text("d")).await.unwrap();
        let mut held = Vec::new();
        for id in ["a", "b", "c", "d"] {
            held.extend(get(&*store, "ann", id).await);
        }
        assert_eq!(held, ["a", "c", "d"], "{kind:?}");
        assert!(get(&*store, "bob", "z").await.is_some(), "{kind:?}");
    }
}

#[tokio::test]
async fn the_bytes_of_an_owner_and_of_all_are_bounded() {
    for kind in Kind::all() {
        let limits = StateLimits { owner_bytes: 5_000, bytes: 12_000, ..StateLimits::default() };
        let Stand { store, _folder } = kind.open(limits).await;
        for number in 0..60 {
            let owner = format!("owner-{}", number % 5);
            store.insert(&owner, &format!("id-{number}"), vec![b'x'; 1000].into()).await.unwrap();
        }
        let mut held = Vec::new();
        for number in 0..60 {
            if get(&*store, &format!("owner-{}", number % 5), &format!("id-{number}")).await.is_some() {
                held.push(number);
            }
        }
        // 12,000 bytes have room for nine values with their names and the fixed overhead of each.
        assert!(
            (8..=9).contains(&held.len()) && held.iter().all(|number| *number >= 51),
            "{kind:?}: {held:?}"
        );
    }
}

#[tokio::test]
async fn a_value_that_has_expired_is_not_returned() {
    for kind in Kind::all() {
        let limits = StateLimits { idle: Duration::ZERO, ..StateLimits::default() };
        let Stand { store, _folder } = kind.open(limits).await;
        store.insert("ann", "a", text("1")).await.unwrap();
        assert_eq!(get(&*store, "ann", "a").await, None, "{kind:?}");
        assert!(!store.replace("ann", "a", &text("1"), text("2")).await.unwrap(), "{kind:?}");
    }
}

/// One access: its kind, its owner, its id and a value.
type Access = (u8, usize, usize, u8);

async fn play(kind: Kind, accesses: &[Access]) -> Vec<String> {
    let limits = StateLimits { owner_values: 3, bytes: 1_900, ..StateLimits::default() };
    let Stand { store, _folder } = kind.open(limits).await;
    let mut results = Vec::new();
    for (action, owner, id, value) in accesses {
        let (owner, id) = (["ann", "bob"][*owner], ["a", "b", "c", "d"][*id]);
        let value = text(&value.to_string());
        results.push(match action {
            0 => format!("{:?}", store.insert(owner, id, value).await),
            1 => format!("{:?}", store.get(owner, id).await),
            2 => format!("{:?}", store.replace(owner, id, &value, text("9")).await),
            _ => format!("{:?}", store.remove(owner, id).await),
        });
    }
    results
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_store_returns_the_same(
        accesses in proptest::collection::vec((0..4_u8, 0..2_usize, 0..4_usize, 0..3_u8), 1..60)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let expected = play(Kind::Memory, &accesses).await;
            for kind in Kind::all() {
                assert_eq!(play(kind, &accesses).await, expected, "{kind:?}");
            }
        });
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use serde_json::{Value, json};
    use windlass_gateway::{ClientKeys, Front, SqliteStateStore, StateLimits, StateStore as _};

    use super::text;
    use crate::canned::{CHAT_WORD, Canned};
    use crate::front::{send, start};

    #[tokio::test]
    async fn two_processes_share_a_file_and_one_of_them_can_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("responses.db");
        // Both stores create the file at the same time.
        let open = || SqliteStateStore::open(&path, StateLimits::default());
        let (one, other) = tokio::join!(open(), open());
        let (one, other) = (one.unwrap(), other.unwrap());
        one.insert("ann", "a", text("1")).await.unwrap();
        assert_eq!(other.get("ann", "a").await.unwrap(), Some(text("1")));
        assert!(other.replace("ann", "a", &text("1"), text("2")).await.unwrap());
        drop(one);
        assert_eq!(open().await.unwrap().get("ann", "a").await.unwrap(), Some(text("2")));
        assert_eq!(other.size().await.unwrap().0, 1);
    }

    #[cfg(unix)]
    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "the test looks at the files of the store")]
    async fn only_the_user_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state").join("responses.db");
        let store = SqliteStateStore::open(&path, StateLimits::default()).await.unwrap();
        store.insert("ann", "a", text("1")).await.unwrap();
        for name in ["responses.db", "responses.db-wal", "responses.db-shm"] {
            let mode = path.with_file_name(name).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{name}");
        }
    }

    #[tokio::test]
    async fn responses_of_each_client_survive_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let mut keys = ClientKeys::default();
        let headers =
            ["ann", "bob"].map(|name| format!("x-api-key: {}\r\n", keys.create(name, ["m"]).unwrap()));
        let provider = Canned::new(200, "application/json", CHAT_WORD);
        let begin = async || {
            let store =
                SqliteStateStore::open(folder.path().join("r.db"), StateLimits::default()).await.unwrap();
            let front = Front::new(provider.gateway("openai-chat")).with_client_keys(keys.clone());
            start(front.with_state(std::sync::Arc::new(store))).await
        };
        let ask = async |port: u16, header: &str, body: Value| {
            send(port, "POST", "/v1/responses", header, &body.to_string()).await
        };
        let first = ask(begin().await, &headers[0], json!({"model": "m", "input": "one"})).await.json();
        assert_eq!(first["store"], true);
        // A second server has only the file and an empty memory.
        let port = begin().await;
        let more = json!({"model": "m", "input": "two", "previous_response_id": first["id"]});
        assert_eq!(ask(port, &headers[1], more.clone()).await.status, 400);
        assert_eq!(ask(port, &headers[0], more).await.status, 200);
        let messages = provider.body()["messages"].as_array().unwrap().len();
        assert_eq!(messages, 3, "one, the answer, and two");
    }
}
