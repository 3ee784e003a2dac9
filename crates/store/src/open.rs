//! The opening of a store by its address.

use std::sync::Arc;

use crate::{FolderStore, Store, StoreError, StoreKind, StoreUrl};

/// Opens the store at an address. Creates the folder, the SQLite file, and the tables of a database if
/// necessary, and upgrades tables that an earlier version made.
///
/// # Errors
/// Returns an error if the address cannot be used, if the build lacks the feature of its database, or if the
/// store cannot be reached.
pub fn open_store(url: &StoreUrl) -> Result<Arc<dyn Store>, StoreError> {
    match url.kind()? {
        StoreKind::Folder(path) => Ok(Arc::new(FolderStore::open(path)?)),
        #[cfg(feature = "sqlite")]
        StoreKind::Sqlite(path) => Ok(Arc::new(crate::sql::SqlStore::open_sqlite(&path)?)),
        #[cfg(not(feature = "sqlite"))]
        StoreKind::Sqlite(_) => Err(StoreError::MissingFeature { feature: "sqlite", what: "SQLite" }),
        #[cfg(feature = "postgres")]
        StoreKind::Postgres => Ok(Arc::new(crate::sql::SqlStore::open_postgres(url)?)),
        #[cfg(not(feature = "postgres"))]
        StoreKind::Postgres => Err(StoreError::MissingFeature { feature: "postgres", what: "PostgreSQL" }),
    }
}
