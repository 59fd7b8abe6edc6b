-- No number of a row that was deleted is ever given out again: buttons, letters and work that is
-- under way name rows by their numbers. Only how new numbers are chosen changes, not what is stored
-- (SQLite, "ALTER TABLE", on changes that do not touch the content).
CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT);
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY,', 'INTEGER PRIMARY KEY AUTOINCREMENT,')
 WHERE type = 'table' AND name IN ('person', 'place', 'event', 'conversation', 'question', 'claim', 'outbox',
    'memory', 'fetched', 'received', 'dead_letter', 'project_rules', 'thought');
DROP TABLE numbered;
PRAGMA writable_schema = RESET;
-- Numbers that were given out before and whose rows are gone.
INSERT INTO sqlite_sequence (name, seq) SELECT 'place', max(id) + 1000 FROM place HAVING count(*) > 0;
INSERT INTO sqlite_sequence (name, seq) SELECT 'conversation', max(id) + 1000 FROM conversation HAVING count(*) > 0;
INSERT INTO sqlite_sequence (name, seq) SELECT 'question', max(id) + 1000 FROM question HAVING count(*) > 0;
INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', max(id) + 1000 FROM outbox HAVING count(*) > 0;
INSERT INTO sqlite_sequence (name, seq) SELECT 'memory', max(id) + 1000 FROM memory HAVING count(*) > 0;
