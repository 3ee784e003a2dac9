//! The tables: migrations from every version, restarts of the server, and passwords in errors.

#[cfg(feature = "sqlite")]
use std::os::unix::fs::PermissionsExt as _;

use sqlx::{AnyPool, Row as _};
use windlass_store::{StoreUrl, open_store};

/// The digests of the released migrations. A released migration never changes: a database that has it would
/// be refused. A new version adds a line.
const RELEASED: [(&str, &str); 10] = [
    ("sqlite/0001_runs.sql", "00e82209ccf3005eb71261dbef08e72db13294c18c225b4761b86e5fb03af8ea"),
    ("postgres/0001_runs.sql", "477c0f7fc2a7a82d6c79d0ddf28a017391cc51e755a90ce2b0e3aa1f1cfd3c31"),
    ("sqlite/0002_sessions.sql", "d6a362ed5b345f49e9cc13fd4634845f0f4161f16ec2d5813c5c37db25afc799"),
    ("postgres/0002_sessions.sql", "f7be460fbab79431070f1eb8dedf7773c739ff2e94d6582e1abbc9c189d1091b"),
    ("sqlite/0003_session_pages.sql", "9777204b44c161235606b46c3038ffefbc50232ff8e8d86ca60f0c9f86071601"),
    ("postgres/0003_session_pages.sql", "7d4a6215c1361fb52c0d06aa77aade0150c671bb4fd0171e6b5f77c793b9a5ca"),
    ("sqlite/0004_message_numbers.sql", "b1f3dda080f625f21bdc7a106537461257a3750b5503642d9e2578475ce21796"),
    ("postgres/0004_message_numbers.sql", "b1f3dda080f625f21bdc7a106537461257a3750b5503642d9e2578475ce21796"),
    ("sqlite/0005_session_states.sql", "5a730ffdfae082517f72a0776d60fe2d2bdf9f6064c754801325260a6024ae06"),
    ("postgres/0005_session_states.sql", "e1dc2e6923a0c3d9108d199a449afe6726629f2362e9a9954013d4fd5d6276ec"),
];

fn block_on<T>(work: impl Future<Output = T>) -> T {
    sqlx::any::install_default_drivers();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn a_released_migration_has_not_changed() {
    for (file, digest) in RELEASED {
        let path = format!("{}/migrations/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(path).unwrap();
        assert_eq!(windlass_store::ContentHash::compute(&text).as_str(), digest, "{file}");
    }
}

/// Inserts the rows that version 2 wrote, and applies the statements that fill the columns of version 3.
fn check_rows_of_version_2(url: &str, migration: &str) {
    drop(open_store(&StoreUrl::new(url)).unwrap());
    let rows = [
        "INSERT INTO windlass_runs (id, settings, created_ms) VALUES ('1-a', '{}', 0), ('2-b', '{}', 0), ('3-c', '{}', 0)",
        r#"INSERT INTO windlass_sessions (id, version, record) VALUES ('1-a', 1,
            '{"id":"1-a","name":"say \"updated_ms\":7","updated_ms":40,"runs":[{"id":"1-a"},{"id":"2-b"}]}')"#,
        r#"INSERT INTO windlass_sessions (id, version, record) VALUES ('0-z', 2,
            '{"id":"0-z","name":"zero \u0000","updated_ms":50,"runs":[{"id":"0-z"}]}')"#,
        "INSERT INTO windlass_sessions (id, version, record) VALUES ('9-x', 3, NULL)",
    ];
    let updates = migration.split(";\n").map(str::trim).filter(|statement| statement.starts_with("UPDATE"));
    let statements: Vec<String> = rows.into_iter().chain(updates).map(str::to_owned).collect();
    assert_eq!(statements.len(), 6);
    block_on(async {
        let pool = AnyPool::connect(url).await.unwrap();
        for statement in statements {
            sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&pool).await.unwrap();
        }
    });
    let sessions = open_store(&StoreUrl::new(url)).unwrap().sessions().unwrap();
    let page = sessions.read_sessions(None, 10).unwrap();
    let places: Vec<_> = page.iter().map(|row| (row.id.as_str(), row.changed_ms)).collect();
    assert_eq!(places, [("0-z", 50), ("1-a", 40)]);
    assert_eq!(sessions.list_unassigned_runs(10).unwrap(), ["3-c"]);
}

/// Inserts rows without states, as version 4 wrote them, and applies the statements that fill the columns of version 5.
fn check_rows_of_version_4(url: &str, migration: &str) {
    drop(open_store(&StoreUrl::new(url)).unwrap());
    let rows = [
        r#"INSERT INTO windlass_sessions (id, version, record) VALUES ('1-a', 1,
            '{"id":"1-a","name":"\"state\":\"working\"","state":"ended","open_questions":0}')"#,
        r#"INSERT INTO windlass_sessions (id, version, record) VALUES ('2-b', 2,
            '{"id":"2-b","state":"suspended","open_questions":2}')"#,
        r#"INSERT INTO windlass_sessions (id, version, record) VALUES ('3-c', 3, '{"id":"3-c","state":"working"}')"#,
        "INSERT INTO windlass_sessions (id, version, record) VALUES ('9-x', 4, NULL)",
    ];
    let updates = migration.split(";\n").map(str::trim).filter(|statement| statement.starts_with("UPDATE"));
    let statements: Vec<String> = rows.into_iter().chain(updates).map(str::to_owned).collect();
    assert_eq!(statements.len(), 6);
    block_on(async {
        let pool = AnyPool::connect(url).await.unwrap();
        for statement in statements {
            sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&pool).await.unwrap();
        }
    });
    let sessions = open_store(&StoreUrl::new(url)).unwrap().sessions().unwrap();
    let open = sessions.read_open_sessions().unwrap();
    let open: Vec<_> = open.iter().map(|row| (row.id.as_str(), row.open_questions)).collect();
    assert_eq!(open, [("2-b", 2), ("3-c", 0)]);
    let counts = sessions.count_states().unwrap();
    let states: Vec<_> = counts.iter().map(|count| (count.state.as_str(), count.sessions)).collect();
    assert_eq!(states, [("ended", 1), ("suspended", 1), ("working", 1)]);
}

#[cfg(feature = "sqlite")]
#[test]
fn rows_of_version_4_get_their_states_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/runs.db", folder.path().display());
    check_rows_of_version_4(&url, include_str!("../../migrations/sqlite/0005_session_states.sql"));
}

#[cfg(feature = "sqlite")]
#[test]
fn rows_of_version_2_get_their_place_in_the_list_of_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/runs.db", folder.path().display());
    check_rows_of_version_2(&url, include_str!("../../migrations/sqlite/0003_session_pages.sql"));
}

/// Opens a database, fills it with the rows that version 1 wrote, and reads them with the present version.
fn check_rows_of_version_1(url: &str, bytes: &str) {
    drop(open_store(&StoreUrl::new(url)).unwrap());
    let rows = include_str!("../data/rows_of_version_1.sql").replace("BYTES", bytes);
    let versions = block_on(async {
        let pool = AnyPool::connect(url).await.unwrap();
        for statement in rows.split_terminator(";\n") {
            sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&pool).await.unwrap();
        }
        let versions = sqlx::query("SELECT version FROM windlass_migrations ORDER BY version");
        let versions = versions.fetch_all(&pool).await.unwrap();
        versions.iter().map(|row| row.get::<i64, _>(0)).collect::<Vec<_>>()
    });
    assert_eq!(versions, [1, 2, 3, 4, 5]);
    let store = open_store(&StoreUrl::new(url)).unwrap();
    assert_eq!(store.list_runs(None, 10).unwrap(), ["old"]);
    assert_eq!(store.read_settings("old").unwrap().as_str(), r#"{"task":"x"}"#);
    assert_eq!(store.read_run_journal("old").unwrap().len(), 2);
    assert_eq!(store.list_journals("old").unwrap(), ["old/call"]);
    assert_eq!(store.read_answers("old").unwrap().len(), 1);
    assert_eq!(store.read_messages("old").unwrap()[0].0, 4);
    assert_eq!(
        store.push_message("old", &"1".parse().unwrap()).unwrap(),
        5,
        "after the numbers of version 1"
    );
    let outputs = store.list_outputs("old").unwrap();
    assert_eq!(store.read_output("old", &outputs[0].hash).unwrap().unwrap(), b"hi");
    assert_eq!(store.claim("old", std::time::Duration::from_secs(9)).unwrap().fence(), 8);
}

#[cfg(feature = "sqlite")]
#[test]
fn rows_of_every_released_version_are_read_from_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    let url = format!("sqlite://{}", file.display());
    check_rows_of_version_1(&url, "x'6869'");
    let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("runs.db"), 0o600, "only the user can read the runs");
}

#[cfg(feature = "sqlite")]
#[test]
fn a_database_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/runs.db", folder.path().display());
    drop(open_store(&StoreUrl::new(&*url)).unwrap());
    block_on(async {
        let pool = AnyPool::connect(&url).await.unwrap();
        let later = "INSERT INTO windlass_migrations (version, description, success, checksum, execution_time) \
             VALUES (99, 'later', TRUE, x'00', 0)";
        sqlx::query(later).execute(&pool).await.unwrap();
    });
    let refused = open_store(&StoreUrl::new(&*url)).unwrap_err().to_string();
    assert!(refused.contains("99"), "{refused}");
}

#[cfg(feature = "postgres")]
mod postgres {
    use std::sync::Arc;
    use std::time::Duration;

    use windlass_journal::Durability;
    use windlass_store::{Store, StoreUrl, open_store};
    use windlass_testkit::postgres::PostgresServer;
    use windlass_testkit::{Need, require};

    use sqlx::AnyPool;

    use super::{block_on, check_rows_of_version_1, check_rows_of_version_2};
    use crate::scene::{new_database, server};

    #[test]
    fn rows_of_version_2_get_their_place_in_the_list_of_postgres() {
        let server = require!(Need::Postgres, server());
        let url = new_database(&server).unwrap();
        check_rows_of_version_2(&url, include_str!("../../migrations/postgres/0003_session_pages.sql"));
    }

    #[test]
    fn rows_of_every_released_version_are_read_from_postgres() {
        let server = require!(Need::Postgres, server());
        let url = new_database(&server).unwrap();
        check_rows_of_version_1(&url, r"'\x6869'::bytea");
    }

    #[test]
    fn many_processes_open_a_new_database_at_once() {
        let server = require!(Need::Postgres, server());
        let url = new_database(&server).unwrap();
        let open = |url: String| std::thread::spawn(move || open_store(&StoreUrl::new(url)).map(drop));
        let threads: Vec<_> = (0..4).map(|_| open(url.clone())).collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    }

    #[test]
    fn an_append_outlasts_a_crash_of_the_server_and_happens_once() {
        let server = require!(Need::Postgres, PostgresServer::start());
        let store: Arc<dyn Store> = open_store(&StoreUrl::new(server.url())).unwrap();
        store.create_run("r", &"{}".parse().unwrap()).unwrap();
        let lease = store.claim("r", Duration::from_mins(10)).unwrap();
        let mut journal = lease.open_run_journal().unwrap();
        journal.append("0".parse().unwrap(), 0, Durability::Synced).unwrap();
        for number in 1..4_u64 {
            server.crash().unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(200));
                    server.resume().unwrap();
                });
                let body = number.to_string().parse().unwrap();
                assert_eq!(journal.append(body, 0, Durability::Synced).unwrap(), number);
            });
        }
        let bodies: Vec<String> =
            store.read_run_journal("r").unwrap().iter().map(|record| record.body.as_str().into()).collect();
        assert_eq!(bodies, ["0", "1", "2", "3"]);
    }

    // A killed server lost the last records without a sync, and the writer appended the next one after a gap.
    #[test]
    fn an_acknowledged_record_outlasts_a_crash_of_the_server_with_either_durability() {
        let server = require!(Need::Postgres, PostgresServer::start());
        let store: Arc<dyn Store> = open_store(&StoreUrl::new(server.url())).unwrap();
        store.create_run("r", &"{}".parse().unwrap()).unwrap();
        let lease = store.claim("r", Duration::from_mins(10)).unwrap();
        let mut journal = lease.open_run_journal().unwrap();
        for round in 0..3_u64 {
            for number in 0..10 {
                let appended = journal.append("1".parse().unwrap(), 0, Durability::Buffered).unwrap();
                assert_eq!(appended, round * 10 + number);
            }
            server.crash().unwrap();
            server.resume().unwrap();
        }
        assert_eq!(store.read_run_journal("r").unwrap().len(), 30);
    }

    #[test]
    fn an_append_after_lost_records_is_refused() {
        let server = require!(Need::Postgres, server());
        let url = new_database(&server).unwrap();
        let store: Arc<dyn Store> = open_store(&StoreUrl::new(&*url)).unwrap();
        store.create_run("r", &"{}".parse().unwrap()).unwrap();
        let lease = store.claim("r", Duration::from_mins(10)).unwrap();
        let mut journal = lease.open_run_journal().unwrap();
        for _ in 0..3 {
            journal.append("1".parse().unwrap(), 0, Durability::Synced).unwrap();
        }
        block_on(async {
            let pool = AnyPool::connect(&url).await.unwrap();
            sqlx::query("DELETE FROM windlass_records WHERE seq = 2").execute(&pool).await.unwrap();
        });
        let refused = journal.append("1".parse().unwrap(), 0, Durability::Synced).unwrap_err();
        let reason = std::error::Error::source(&refused).map(ToString::to_string).unwrap_or_default();
        assert!(reason.contains("lost records of this journal before number 3"), "{refused}: {reason}");
        assert_eq!(store.read_run_journal("r").unwrap().len(), 2, "the journal has no gap");
    }

    #[test]
    fn a_password_is_in_no_error() {
        let server = require!(Need::Postgres, server());
        let socket = server.url();
        let host = socket.split_once('?').unwrap().1;
        let urls = [
            format!("postgres://ada:hunter%2322@/none?{host}"),
            format!("postgres:///none?{host}&password=hunter%2322"),
            "postgres://ada:hunter%2322@127.0.0.1:1/none".to_owned(),
            "postgres://ada:hunter%2322@[/none".to_owned(),
            "postgres://ada:hunter%2322@127.0.0.1:1/none?sslmode=hunter%2322".to_owned(),
        ];
        for url in urls {
            let error = open_store(&StoreUrl::new(url)).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("hunter"), "{shown}");
        }
    }
}
