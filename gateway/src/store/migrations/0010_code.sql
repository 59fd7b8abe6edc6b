-- The Code conversations: in which folder each works, and where it was opened.
CREATE TABLE coding (
    conversation INTEGER PRIMARY KEY REFERENCES conversation (id),
    place        INTEGER NOT NULL REFERENCES place (id),
    folder       TEXT NOT NULL,
    -- A script reads it: nobody is there to answer.
    unattended   INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX coding_place ON coding (place);

-- What the owner said of a folder.
CREATE TABLE code_folder (
    path       TEXT PRIMARY KEY,
    ownership  TEXT NOT NULL CHECK (ownership IN ('foreign', 'yours')),
    -- Whether its commands run where no cage can be built.
    unconfined INTEGER NOT NULL DEFAULT 0,
    at         INTEGER NOT NULL
) WITHOUT ROWID;

-- Files of folders that were written while their conversation was marked.
CREATE TABLE code_written (
    folder TEXT NOT NULL,
    path   TEXT NOT NULL,
    digest TEXT NOT NULL,
    taint  TEXT NOT NULL,
    PRIMARY KEY (folder, path)
) WITHOUT ROWID;

-- Chats that a Code conversation is continued in, and what ran there before.
CREATE TABLE link (
    place        INTEGER PRIMARY KEY REFERENCES place (id),
    conversation INTEGER NOT NULL REFERENCES conversation (id),
    before       INTEGER REFERENCES conversation (id),
    at           INTEGER NOT NULL
);
CREATE INDEX link_conversation ON link (conversation);

-- Codes that continue a conversation in the chat that they are sent in.
CREATE TABLE link_code (
    hash         TEXT PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (id),
    ends_at      INTEGER NOT NULL
) WITHOUT ROWID;

-- A reply is put once in each place that shows its conversation.
DROP INDEX outbox_reply;
CREATE UNIQUE INDEX outbox_reply ON outbox (conversation, reply, place, part) WHERE reply IS NOT NULL;
