-- Programs of the owner's, each with a chat of its own. Of a token only its SHA-256 is here.
CREATE TABLE chat_token (
    name    TEXT PRIMARY KEY,
    hash    TEXT NOT NULL UNIQUE,
    words   TEXT NOT NULL,
    bot     TEXT NOT NULL,
    account TEXT NOT NULL UNIQUE,
    since   INTEGER NOT NULL
) WITHOUT ROWID;

-- The chats in which people speak; a program's is none of them.
CREATE VIEW own_pairing AS SELECT * FROM pairing
    WHERE NOT (line = 'web' AND chat IN (SELECT account FROM chat_token));
