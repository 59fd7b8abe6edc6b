-- The parts of albums, each as it came in, until no more of them come.
CREATE TABLE album_part (
    event  INTEGER PRIMARY KEY,
    album  TEXT NOT NULL,
    -- The place and who sent it.
    sender TEXT NOT NULL,
    body   TEXT NOT NULL,
    due    INTEGER NOT NULL
);
CREATE INDEX album_part_album ON album_part (album);
CREATE INDEX album_part_sender ON album_part (sender);
CREATE INDEX album_part_due ON album_part (due);
