CREATE TABLE windlass_sessions (
    id TEXT PRIMARY KEY NOT NULL,
    version BIGINT NOT NULL UNIQUE,
    record TEXT
);
