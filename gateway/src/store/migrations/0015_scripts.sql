-- A script began it, and nobody has taken it up since: it stands in no list.
ALTER TABLE coding ADD COLUMN script INTEGER NOT NULL DEFAULT 0;
