-- The sessions that need attention, and the numbers of sessions by state, are read without the records.
ALTER TABLE windlass_sessions ADD COLUMN state TEXT NOT NULL DEFAULT '';
ALTER TABLE windlass_sessions ADD COLUMN is_open BIGINT NOT NULL DEFAULT 0;
ALTER TABLE windlass_sessions ADD COLUMN open_questions BIGINT NOT NULL DEFAULT 0;
UPDATE windlass_sessions SET state = COALESCE(json_extract(record, '$.state'), ''),
    open_questions = COALESCE(json_extract(record, '$.open_questions'), 0)
    WHERE record IS NOT NULL AND json_valid(record);
UPDATE windlass_sessions SET is_open = 1 WHERE open_questions > 0 OR state IN ('working', 'waiting');
CREATE INDEX windlass_sessions_by_state ON windlass_sessions (state, open_questions) WHERE record IS NOT NULL;
CREATE INDEX windlass_sessions_open ON windlass_sessions (id) WHERE is_open = 1;
