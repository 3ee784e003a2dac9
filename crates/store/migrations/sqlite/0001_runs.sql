CREATE TABLE windlass_runs (
    id TEXT PRIMARY KEY NOT NULL,
    settings TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    fence BIGINT NOT NULL DEFAULT 0,
    owner TEXT,
    expires_ms BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE windlass_records (
    run TEXT NOT NULL REFERENCES windlass_runs (id) ON DELETE CASCADE,
    journal TEXT NOT NULL,
    seq BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, journal, seq)
) WITHOUT ROWID;
CREATE TABLE windlass_answers (
    run TEXT NOT NULL REFERENCES windlass_runs (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, name)
);
CREATE TABLE windlass_messages (
    run TEXT NOT NULL REFERENCES windlass_runs (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE windlass_contents (
    hash TEXT PRIMARY KEY NOT NULL,
    bytes BLOB NOT NULL
);
CREATE TABLE windlass_outputs (
    run TEXT NOT NULL REFERENCES windlass_runs (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES windlass_contents (hash),
    PRIMARY KEY (run, name)
);
