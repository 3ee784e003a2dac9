//! The stores under test.

use std::sync::Arc;

#[cfg(feature = "postgres")]
use std::sync::{Mutex, PoisonError, Weak};

use tempfile::TempDir;
use windlass_store::{FolderStore, MemoryStore, Store};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use windlass_store::{StoreUrl, open_store};
#[cfg(feature = "postgres")]
use windlass_testkit::postgres::PostgresServer;

/// A store, and the folder or the database server that must live as long as the store.
pub(crate) struct Scene {
    pub(crate) store: Arc<dyn Store>,
    /// True if a lease has an expiry. In a folder it lasts as long as the process.
    pub(crate) has_expiry: bool,
    _folder: Option<TempDir>,
    #[cfg(feature = "postgres")]
    _server: Option<Arc<PostgresServer>>,
}

impl Scene {
    fn new(store: Arc<dyn Store>, has_expiry: bool, folder: Option<TempDir>) -> Self {
        Self {
            store,
            has_expiry,
            _folder: folder,
            #[cfg(feature = "postgres")]
            _server: None,
        }
    }

    pub(crate) fn memory() -> Self {
        Self::new(Arc::new(MemoryStore::default()), true, None)
    }

    pub(crate) fn folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::open(folder.path().join("runs")).unwrap();
        Self::new(Arc::new(store), false, Some(folder))
    }

    #[cfg(feature = "sqlite")]
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/a%20b/runs.db", folder.path().display());
        Self::new(open_store(&StoreUrl::new(url)).unwrap(), true, Some(folder))
    }

    /// Opens a database of its own on the server of all tests.
    #[cfg(feature = "postgres")]
    pub(crate) fn postgres() -> Result<Self, String> {
        let server = server()?;
        let url = new_database(&server)?;
        let store = open_store(&StoreUrl::new(url)).unwrap();
        Ok(Self { _server: Some(server), ..Self::new(store, true, None) })
    }
}

#[cfg(feature = "postgres")]
pub(crate) fn new_database(server: &PostgresServer) -> Result<String, String> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static DATABASES: AtomicU32 = AtomicU32::new(1);
    server.create_database(&format!("d{}", DATABASES.fetch_add(1, Ordering::SeqCst)))
}

/// Returns the server that the running tests share. It ends with the last of them.
#[cfg(feature = "postgres")]
pub(crate) fn server() -> Result<Arc<PostgresServer>, String> {
    static SERVER: Mutex<Weak<PostgresServer>> = Mutex::new(Weak::new());
    let mut shared = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = shared.upgrade() {
        return Ok(server);
    }
    let server = Arc::new(PostgresServer::start()?);
    *shared = Arc::downgrade(&server);
    Ok(server)
}

/// Makes a test for each kind of store from a function with a scene as its argument.
macro_rules! over_each_store {
    ($($name:ident)+) => {$(
        mod $name {
            use crate::scene::Scene;

            #[test]
            fn in_memory() {
                super::$name(&Scene::memory());
            }

            #[test]
            fn in_a_folder() {
                super::$name(&Scene::folder());
            }

            #[cfg(feature = "sqlite")]
            #[test]
            fn in_sqlite() {
                super::$name(&Scene::sqlite());
            }

            #[cfg(feature = "postgres")]
            #[test]
            fn in_postgres() {
                use windlass_testkit::{Need, require};
                super::$name(&require!(Need::Postgres, Scene::postgres()));
            }
        }
    )+};
}

pub(crate) use over_each_store;
