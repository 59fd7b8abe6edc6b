-- A folder's own rule file, as this very text: whether the owner trusted it.
CREATE TABLE project_rules (
    id      INTEGER PRIMARY KEY,
    path    TEXT NOT NULL,
    digest  TEXT NOT NULL,
    trust   TEXT NOT NULL CHECK (trust IN ('asked', 'refused', 'trusted')),
    ends_at INTEGER NOT NULL,
    UNIQUE (path, digest)
);

-- The configuration that the program last started with, as a keyed hash, and its key.
CREATE TABLE configuration (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    key  BLOB NOT NULL,
    hash TEXT NOT NULL
);
