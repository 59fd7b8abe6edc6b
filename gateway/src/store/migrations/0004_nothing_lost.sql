-- What tells an event again when it comes under another id: line, chat, message and kind.
ALTER TABLE event ADD COLUMN content TEXT;
ALTER TABLE event ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
-- How often handling it failed, when it is tried again, and whether it was not taken in yet.
ALTER TABLE event ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event ADD COLUMN untaken INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX event_content ON event (line, content) WHERE content IS NOT NULL;

-- What could not be handled and was set aside. Never what it said.
CREATE TABLE dead_letter (
    id    INTEGER PRIMARY KEY,
    line  TEXT NOT NULL,
    event TEXT NOT NULL,
    chat  TEXT,
    kind  TEXT NOT NULL,
    tries INTEGER NOT NULL,
    why   TEXT NOT NULL,
    at    INTEGER NOT NULL
);

-- Who hears an account of ours, and until when unless they say so again.
CREATE TABLE lease (
    name   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    epoch  INTEGER NOT NULL,
    until  INTEGER NOT NULL
) WITHOUT ROWID;

-- One record for each part of a reply, whichever way it comes here.
ALTER TABLE outbox ADD COLUMN reply INTEGER;
ALTER TABLE outbox ADD COLUMN part INTEGER;
CREATE UNIQUE INDEX outbox_reply ON outbox (conversation, reply, part) WHERE reply IS NOT NULL;

ALTER TABLE button ADD COLUMN at INTEGER NOT NULL DEFAULT 0;

-- The last write that was made only to see whether one can be made.
CREATE TABLE pulse (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL);

-- Whatever is asked at each message or each start stays as quick with a million rows.
CREATE INDEX outbox_target ON outbox (target) WHERE target IS NOT NULL;
CREATE INDEX outbox_trouble ON outbox (state) WHERE state IN ('failed', 'unknown');
CREATE INDEX conversation_place ON conversation (place, id);
CREATE INDEX conversation_running ON conversation (id) WHERE ended IS NULL;
CREATE INDEX place_conversation ON place (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX button_at ON button (at);
CREATE INDEX button_place ON button (place);
CREATE INDEX question_place ON question (place);
CREATE INDEX question_unsettled ON question (conversation) WHERE state IN ('"Asked"', '"Approved"', '"Started"');
CREATE INDEX stranger_at ON stranger (answered_at);

-- What is there already counts as new: what is old goes in time.
UPDATE event SET at = unixepoch() * 1000;
UPDATE button SET at = unixepoch() * 1000;
