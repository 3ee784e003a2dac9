-- A page of sessions is read by the time of the last change, and the runs without a session without all runs.
-- The functions of JSON refuse texts with the escape of a zero byte, so such records are left to their next change.
ALTER TABLE windlass_sessions ADD COLUMN changed_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE windlass_runs ADD COLUMN session TEXT;
UPDATE windlass_sessions
    SET changed_ms = COALESCE(substring(record from '"updated_ms":([0-9]{1,18})')::bigint, 0)
    WHERE record IS NOT NULL;
UPDATE windlass_runs SET session = found.session FROM (
    SELECT s.id AS session, r.value ->> 'id' AS run
    FROM windlass_sessions s, json_array_elements(
        CASE WHEN position('\u0000' in s.record) = 0 THEN s.record::json -> 'runs' ELSE '[]'::json END
    ) r
    WHERE s.record IS NOT NULL
) AS found WHERE windlass_runs.id = found.run;
CREATE INDEX windlass_sessions_by_change ON windlass_sessions (changed_ms, id) WHERE record IS NOT NULL;
CREATE INDEX windlass_runs_without_session ON windlass_runs (id) WHERE session IS NULL;
