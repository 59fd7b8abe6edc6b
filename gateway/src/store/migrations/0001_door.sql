CREATE TABLE person (
    id    INTEGER PRIMARY KEY,
    role  TEXT NOT NULL,
    name  TEXT NOT NULL,
    since INTEGER NOT NULL,
    UNIQUE (role, name)
);
CREATE UNIQUE INDEX one_owner ON person (role) WHERE role = '"Owner"';

CREATE TABLE account (
    platform TEXT NOT NULL,
    user     TEXT NOT NULL,
    person   INTEGER NOT NULL REFERENCES person (id),
    PRIMARY KEY (platform, user)
) WITHOUT ROWID;

CREATE TABLE pairing (
    line   TEXT NOT NULL,
    chat   TEXT NOT NULL,
    kind   TEXT NOT NULL,
    person INTEGER NOT NULL REFERENCES person (id),
    platform TEXT NOT NULL,
    since  INTEGER NOT NULL,
    -- Whose account speaks in a direct chat; nobody's in a group.
    user   TEXT NOT NULL,
    PRIMARY KEY (line, chat)
) WITHOUT ROWID;

CREATE TABLE place (
    id           INTEGER PRIMARY KEY,
    line         TEXT NOT NULL,
    chat         TEXT NOT NULL,
    thread       TEXT NOT NULL DEFAULT '',
    conversation INTEGER REFERENCES conversation (id),
    UNIQUE (line, chat, thread)
);

CREATE TABLE code (
    hash    TEXT PRIMARY KEY,
    role    TEXT NOT NULL,
    ends_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE wrong_try (
    at     INTEGER NOT NULL,
    sender TEXT NOT NULL,
    counts INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX wrong_try_at ON wrong_try (at);

CREATE TABLE stranger (
    sender      TEXT PRIMARY KEY,
    answered_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE heard (
    line   TEXT PRIMARY KEY,
    cursor TEXT NOT NULL
) WITHOUT ROWID;

-- What a platform told us, once each. The body is kept only while there is something to do.
CREATE TABLE event (
    seq  INTEGER PRIMARY KEY,
    line TEXT NOT NULL,
    id   TEXT NOT NULL,
    body TEXT,
    UNIQUE (line, id)
);
CREATE INDEX event_open ON event (seq) WHERE body IS NOT NULL;

CREATE TABLE conversation (
    id         INTEGER PRIMARY KEY,
    bot        TEXT NOT NULL,
    person     INTEGER NOT NULL REFERENCES person (id),
    place      INTEGER NOT NULL REFERENCES place (id),
    kind       TEXT NOT NULL,
    parent     INTEGER REFERENCES conversation (id),
    taint      TEXT NOT NULL,
    mark_shown INTEGER NOT NULL DEFAULT 0,
    mode       TEXT NOT NULL,
    incognito  TEXT NOT NULL,
    since      INTEGER NOT NULL,
    ended      INTEGER
);

CREATE TABLE entry (
    conversation INTEGER NOT NULL REFERENCES conversation (id),
    seq          INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    body         TEXT NOT NULL,
    open         INTEGER NOT NULL,
    message      TEXT,
    PRIMARY KEY (conversation, seq)
) WITHOUT ROWID;
CREATE INDEX entry_message ON entry (message) WHERE message IS NOT NULL;

CREATE TABLE question (
    id           INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (id),
    call         TEXT NOT NULL,
    place        INTEGER NOT NULL REFERENCES place (id),
    body         TEXT NOT NULL,
    card         TEXT NOT NULL,
    put_to       INTEGER NOT NULL REFERENCES person (id),
    state        TEXT NOT NULL,
    asked_at     INTEGER NOT NULL,
    ends_at      INTEGER NOT NULL,
    closed_at    INTEGER,
    outcome      TEXT
);
CREATE INDEX question_call ON question (conversation, call);
CREATE INDEX question_open ON question (ends_at) WHERE state = '"Asked"';

CREATE TABLE claim (
    id      INTEGER PRIMARY KEY,
    line    TEXT NOT NULL,
    chat    TEXT NOT NULL,
    platform TEXT NOT NULL,
    thread  TEXT NOT NULL,
    person  INTEGER NOT NULL REFERENCES person (id),
    ends_at INTEGER NOT NULL,
    closed  INTEGER NOT NULL DEFAULT 0,
    user    TEXT NOT NULL
);

CREATE TABLE button (
    hash     TEXT PRIMARY KEY,
    place    INTEGER NOT NULL REFERENCES place (id),
    person   INTEGER NOT NULL REFERENCES person (id),
    question INTEGER REFERENCES question (id),
    meaning  TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX button_question ON button (question) WHERE question IS NOT NULL;

CREATE TABLE started (
    conversation INTEGER NOT NULL,
    call         TEXT NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (conversation, call)
) WITHOUT ROWID;

-- What is to be shown, and what is on screen. 'sending' was handed to the adapter: after a crash
-- nobody knows whether it arrived.
CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY,
    place        INTEGER NOT NULL REFERENCES place (id),
    conversation INTEGER,
    question     INTEGER,
    kind         TEXT NOT NULL,
    encoded      TEXT NOT NULL,
    target       INTEGER REFERENCES outbox (id),
    state        TEXT NOT NULL,
    tries        INTEGER NOT NULL DEFAULT 0,
    due          INTEGER NOT NULL,
    message      TEXT,
    error        TEXT,
    at           INTEGER NOT NULL
);
CREATE INDEX outbox_unsent ON outbox (place, id) WHERE state IN ('queued', 'sending');
CREATE INDEX outbox_question ON outbox (question) WHERE question IS NOT NULL;
CREATE INDEX outbox_place ON outbox (place, id);
CREATE INDEX outbox_message ON outbox (message) WHERE message IS NOT NULL;

CREATE TABLE memory (
    id        INTEGER PRIMARY KEY,
    keeper    TEXT NOT NULL,
    text      TEXT NOT NULL,
    confirmed INTEGER NOT NULL,
    taint     TEXT NOT NULL,
    at        INTEGER NOT NULL
);
CREATE INDEX memory_keeper ON memory (keeper, id);
CREATE VIRTUAL TABLE memory_text USING fts5 (text, content = 'memory', content_rowid = 'id');

CREATE TABLE file (
    workspace INTEGER NOT NULL,
    path      TEXT NOT NULL,
    digest    TEXT NOT NULL,
    taint     TEXT NOT NULL,
    PRIMARY KEY (workspace, path)
) WITHOUT ROWID;

CREATE TABLE session (
    hash    TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    since   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE audit (
    seq      INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    what     TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash     TEXT NOT NULL
);
CREATE TRIGGER audit_stands BEFORE UPDATE ON audit BEGIN
    SELECT RAISE (ABORT, 'the audit is only added to');
END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN
    SELECT RAISE (ABORT, 'the audit is only added to');
END;
