CREATE TABLE windlass_runs (
    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    settings TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    fence BIGINT NOT NULL DEFAULT 0,
    owner TEXT,
    expires_ms BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE windlass_records (
    run TEXT COLLATE "C" NOT NULL REFERENCES windlass_runs (id) ON DELETE CASCADE,
    journal TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, journal, seq)
);
CREATE TABLE windlass_answers (
    run TEXT COLLATE "C" NOT NULL REFERENCES windlass_runs (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, name)
);
CREATE TABLE windlass_messages (
    run TEXT COLLATE "C" NOT NULL REFERENCES windlass_runs (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE windlass_contents (
    hash TEXT PRIMARY KEY NOT NULL,
    bytes BYTEA NOT NULL
);
CREATE TABLE windlass_outputs (
    run TEXT COLLATE "C" NOT NULL REFERENCES windlass_runs (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    hash TEXT NOT NULL REFERENCES windlass_contents (hash),
    PRIMARY KEY (run, name)
);
