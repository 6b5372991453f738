-- What Kitbag keeps beside SIM-ONE's table. There are no foreign keys into `capabilities`: SIM-ONE
-- may replace its rows, and a digest that was approved must outlive that.

-- The package of a record as it was promoted.
CREATE TABLE packages (
  kind         TEXT NOT NULL,
  id           TEXT NOT NULL,
  digest       TEXT NOT NULL,
  files        INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  listing      TEXT NOT NULL CHECK (json_valid(listing)),
  commit_id    TEXT,
  subpath      TEXT,
  git_ref      TEXT,
  promoted_at  TEXT NOT NULL,
  previous     TEXT,
  PRIMARY KEY (kind, id)
) STRICT;

-- Versions that `revert` can bring back. Their bytes are the depot's affair.
CREATE TABLE versions (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  kind         TEXT NOT NULL,
  id           TEXT NOT NULL,
  digest       TEXT NOT NULL,
  files        INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  listing      TEXT NOT NULL CHECK (json_valid(listing)),
  commit_id    TEXT,
  subpath      TEXT,
  git_ref      TEXT,
  promoted_at  TEXT NOT NULL,
  previous     TEXT,
  record       TEXT NOT NULL CHECK (json_valid(record)),
  kept_at      TEXT NOT NULL,
  edited       INTEGER NOT NULL CHECK (edited IN (0, 1)),
  UNIQUE (kind, id, digest)
) STRICT;

-- Mutations that have begun to move packages and are not recorded yet.
CREATE TABLE journal (
  operation  TEXT NOT NULL PRIMARY KEY,
  action     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  id         TEXT NOT NULL,
  before     TEXT,
  after      TEXT,
  opened_at  TEXT NOT NULL,
  principal  TEXT NOT NULL CHECK (json_valid(principal))
) STRICT;

-- What was done, each entry chained to the one before it. Appended to, never changed.
CREATE TABLE history (
  seq         INTEGER PRIMARY KEY,
  event       TEXT NOT NULL CHECK (json_valid(event)),
  previous    TEXT,
  hash        TEXT NOT NULL,
  capability  TEXT GENERATED ALWAYS AS (json_extract(event, '$.id')) VIRTUAL
) STRICT;

CREATE INDEX idx_history_capability ON history(capability);

CREATE TRIGGER history_is_not_changed BEFORE UPDATE ON history
BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;

CREATE TRIGGER history_is_not_deleted BEFORE DELETE ON history
BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;

-- The last entry of the history, so that entries cut off its end are missed.
CREATE TABLE history_head (
  one   INTEGER PRIMARY KEY CHECK (one = 1),
  seq   INTEGER NOT NULL,
  hash  TEXT NOT NULL
) STRICT;

-- Findings that a person accepted. A row is filled in once more, when it is withdrawn.
CREATE TABLE suppressions (
  number        INTEGER PRIMARY KEY AUTOINCREMENT,
  rule          TEXT NOT NULL,
  file          TEXT,
  match_hash    TEXT NOT NULL,
  package       TEXT,
  reason        TEXT NOT NULL,
  accepted_by   TEXT NOT NULL,
  accepted_at   TEXT NOT NULL,
  expires_at    TEXT,
  withdrawn_at  TEXT,
  withdrawn_by  TEXT
) STRICT;

-- The key of match hashes. It never leaves this file.
CREATE TABLE match_key (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  key  BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;

-- What the scanner found, by the bytes it read and the rules it judged by.
CREATE TABLE scan_results (
  number    INTEGER PRIMARY KEY AUTOINCREMENT,
  digest    TEXT NOT NULL,
  rule_set  TEXT NOT NULL,
  kind      TEXT NOT NULL,
  report    TEXT NOT NULL CHECK (json_valid(report)),
  UNIQUE (digest, rule_set, kind)
) STRICT;
