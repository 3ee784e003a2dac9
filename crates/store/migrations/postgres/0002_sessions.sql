CREATE TABLE windlass_sessions (
    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    version BIGINT NOT NULL UNIQUE,
    record TEXT
);
