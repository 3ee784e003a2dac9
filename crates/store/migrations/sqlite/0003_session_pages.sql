-- A page of sessions is read by the time of the last change, and the runs without a session without all runs.
ALTER TABLE windlass_sessions ADD COLUMN changed_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE windlass_runs ADD COLUMN session TEXT;
UPDATE windlass_sessions SET changed_ms = COALESCE(json_extract(record, '$.updated_ms'), 0)
    WHERE record IS NOT NULL AND json_valid(record);
UPDATE windlass_runs SET session = found.session FROM (
    SELECT s.id AS session, json_extract(r.value, '$.id') AS run
    FROM windlass_sessions s, json_each(s.record, '$.runs') r
    WHERE s.record IS NOT NULL
) AS found WHERE windlass_runs.id = found.run;
CREATE INDEX windlass_sessions_by_change ON windlass_sessions (changed_ms, id) WHERE record IS NOT NULL;
CREATE INDEX windlass_runs_without_session ON windlass_runs (id) WHERE session IS NULL;
