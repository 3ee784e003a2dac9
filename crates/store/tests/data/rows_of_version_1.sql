INSERT INTO windlass_runs (id, settings, created_ms, fence, owner, expires_ms) VALUES ('old', '{"task":"x"}', 1790000000000, 7, 'someone', 1790000000000);
INSERT INTO windlass_records (run, journal, seq, fence, at_ms, body) VALUES ('old', '', 0, 1, 5, '"a"'), ('old', '', 1, 7, 6, '"b"'), ('old', 'old/call', 0, 7, 6, '"c"');
INSERT INTO windlass_answers (run, name, body) VALUES ('old', 'q', 'true');
INSERT INTO windlass_messages (run, number, body) VALUES ('old', 4, '"hello"');
INSERT INTO windlass_contents (hash, bytes) VALUES ('8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4', BYTES);
INSERT INTO windlass_outputs (run, name, hash) VALUES ('old', 'o.txt', '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4');
