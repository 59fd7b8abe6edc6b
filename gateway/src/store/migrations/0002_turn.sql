-- Calls that run without a card in one conversation ("All like this").
CREATE TABLE approval (
    conversation INTEGER NOT NULL REFERENCES conversation (id),
    pattern      TEXT NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (conversation, pattern)
) WITHOUT ROWID;

-- The labels of a question of the agent's own.
ALTER TABLE question ADD COLUMN choice TEXT;
-- The rule that its answer saves, until it is in the owner's file.
ALTER TABLE question ADD COLUMN saves TEXT;
CREATE INDEX question_saves ON question (id) WHERE saves IS NOT NULL;

-- Whether the card about an unconfirmed memory was put.
ALTER TABLE memory ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
CREATE INDEX memory_unasked ON memory (keeper) WHERE confirmed = 0 AND asked = 0;

-- Whether a place is linked to a conversation that lives elsewhere too.
ALTER TABLE place ADD COLUMN linked INTEGER NOT NULL DEFAULT 0;

-- The call of the parent that a worker works for, its name and what it was given to do.
ALTER TABLE conversation ADD COLUMN call TEXT;
ALTER TABLE conversation ADD COLUMN worker TEXT;
ALTER TABLE conversation ADD COLUMN task TEXT;
CREATE INDEX conversation_parent ON conversation (parent) WHERE parent IS NOT NULL;

CREATE INDEX conversation_incognito ON conversation (since) WHERE incognito = '"On"';

-- What the program keeps for itself.
CREATE TABLE own (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
