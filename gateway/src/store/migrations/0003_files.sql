-- Addresses that calls of a conversation reached.
CREATE TABLE fetched (
    id           INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (id),
    address      TEXT NOT NULL,
    at           INTEGER NOT NULL
);
CREATE INDEX fetched_conversation ON fetched (conversation);

-- Files that came with messages: wanted until they lie in the workspace or cannot be had.
CREATE TABLE received (
    id           INTEGER PRIMARY KEY,
    place        INTEGER NOT NULL REFERENCES place (id),
    conversation INTEGER NOT NULL REFERENCES conversation (id),
    entry        INTEGER NOT NULL,
    part         INTEGER NOT NULL,
    -- Counted for each place; the file is named after it.
    number       INTEGER NOT NULL,
    fact         TEXT NOT NULL,
    tries        INTEGER NOT NULL DEFAULT 0,
    state        TEXT NOT NULL
);
CREATE INDEX received_wanted ON received (conversation) WHERE state = 'wanted';
CREATE INDEX received_place ON received (place, number);

-- Which copies of files were sent to a place, and how they are called there.
CREATE TABLE outgoing (
    place  INTEGER NOT NULL REFERENCES place (id),
    digest TEXT NOT NULL,
    name   TEXT NOT NULL,
    kind   TEXT NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (place, digest)
) WITHOUT ROWID;
