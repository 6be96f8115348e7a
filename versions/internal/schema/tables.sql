CREATE TABLE store(
  id INTEGER PRIMARY KEY, uid BLOB NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '', metadata TEXT NOT NULL DEFAULT '{}',
  folder TEXT NOT NULL UNIQUE, created INT NOT NULL, updated INT NOT NULL, archived INT,
  used INT NOT NULL, changes INT NOT NULL DEFAULT 0, max_bytes INT, max_memories INT, view_chars INT, looked INT, view BLOB NOT NULL DEFAULT x'', title TEXT NOT NULL DEFAULT '', upstream TEXT NOT NULL DEFAULT '', began INT, home TEXT NOT NULL DEFAULT '', folder_identity TEXT NOT NULL DEFAULT '', records_read INT NOT NULL DEFAULT 0, salt BLOB, files TEXT NOT NULL DEFAULT '', agents INT NOT NULL DEFAULT 0, links TEXT, parted TEXT NOT NULL DEFAULT '');
CREATE TABLE actor(
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, title TEXT, UNIQUE(kind, name));
CREATE TABLE session(
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, actor INT NOT NULL REFERENCES actor(id),
  started INT NOT NULL, seen INT NOT NULL);
CREATE TABLE blob(
  id INTEGER PRIMARY KEY, sha BLOB NOT NULL UNIQUE, size INT NOT NULL, enc INT NOT NULL, data BLOB NOT NULL);
CREATE TABLE blob_chunk(
  blob INT NOT NULL REFERENCES blob(id), n INT NOT NULL, data BLOB NOT NULL, PRIMARY KEY(blob, n)) WITHOUT ROWID;
CREATE TABLE memory(
  id INTEGER PRIMARY KEY, uid BLOB NOT NULL UNIQUE, store INT NOT NULL REFERENCES store(id));
CREATE TABLE change(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL REFERENCES store(id), number INT NOT NULL,
  kind TEXT NOT NULL, path TEXT NOT NULL, dest TEXT NOT NULL DEFAULT '', versions INT NOT NULL DEFAULT 0,
  actor INT NOT NULL REFERENCES actor(id), session INT REFERENCES session(id), tool_use TEXT, turn INT,
  ts INT NOT NULL, wall INT NOT NULL, undoes INT, undone_by INT, message TEXT, email TEXT, door INT, inputs INT, others TEXT, record INT, UNIQUE(store, number));
CREATE INDEX change_session ON change(session, id);
CREATE TABLE version(
  id INTEGER PRIMARY KEY AUTOINCREMENT, uid BLOB NOT NULL UNIQUE, memory INT NOT NULL REFERENCES memory(id),
  number INT NOT NULL, change INT NOT NULL REFERENCES change(id), op TEXT NOT NULL,
  path TEXT, origin TEXT, blob INT REFERENCES blob(id), mode INT, source INT,
  redacted INT, redacted_by INT, UNIQUE(memory, number));
CREATE INDEX version_change ON version(change);
CREATE INDEX version_blob ON version(blob);
CREATE INDEX version_path ON version(path, id);
CREATE TABLE intent(
  change INT NOT NULL REFERENCES change(id), n INT NOT NULL, op TEXT NOT NULL, path TEXT NOT NULL,
  dest TEXT NOT NULL, old BLOB, new BLOB, mode INT NOT NULL, store INT NOT NULL DEFAULT 0, boot TEXT NOT NULL DEFAULT '', carried INT NOT NULL DEFAULT 0, done INT NOT NULL DEFAULT 0, target TEXT NOT NULL DEFAULT '', PRIMARY KEY(change, n)) WITHOUT ROWID;
CREATE INDEX intent_store ON intent(store, carried);
CREATE TABLE read(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL REFERENCES store(id), memory INT NOT NULL REFERENCES memory(id),
  version INT, actor INT NOT NULL REFERENCES actor(id), session INT REFERENCES session(id), tool_use TEXT, turn INT, ts INT NOT NULL);
CREATE INDEX read_memory ON read(memory, ts, session);
CREATE TABLE attachment(
  session INT NOT NULL REFERENCES session(id), store INT NOT NULL REFERENCES store(id), n INT NOT NULL,
  access TEXT NOT NULL, instructions TEXT NOT NULL DEFAULT '', PRIMARY KEY(session, store)) WITHOUT ROWID;
CREATE TABLE redaction(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL, change INT, actor INT NOT NULL REFERENCES actor(id),
  session INT REFERENCES session(id), ts INT NOT NULL, versions INT NOT NULL, pending INT NOT NULL, receipt TEXT NOT NULL DEFAULT '');
CREATE TABLE look(
  memory INTEGER PRIMARY KEY REFERENCES memory(id) ON DELETE CASCADE, store INT NOT NULL REFERENCES store(id),
  seen INT NOT NULL DEFAULT 0, pinned INT NOT NULL DEFAULT 0, kept BLOB, kept_path TEXT, kept_at INT);
CREATE INDEX look_store ON look(store);
CREATE INDEX read_store ON read(store, ts);
CREATE INDEX read_session ON read(session, store, ts);
CREATE TABLE evidence(
  id INTEGER PRIMARY KEY, store INT NOT NULL REFERENCES store(id), op TEXT NOT NULL, path TEXT NOT NULL, origin TEXT NOT NULL DEFAULT '',
  agent TEXT NOT NULL, session TEXT NOT NULL, tool_use TEXT NOT NULL, turn INT NOT NULL, began INT NOT NULL, ended INT NOT NULL, sha BLOB, change INT);
CREATE INDEX evidence_store ON evidence(store, ended);
CREATE INDEX change_ahead ON change(store, number) WHERE wall<ts-86400000000;
CREATE TABLE attribution(
  id INTEGER PRIMARY KEY AUTOINCREMENT, change INT NOT NULL REFERENCES change(id), actor INT NOT NULL REFERENCES actor(id),
  session INT REFERENCES session(id), tool_use TEXT, turn INT, ts INT NOT NULL, inputs INT);
CREATE INDEX attribution_change ON attribution(change);
CREATE INDEX attribution_session ON attribution(session) WHERE session IS NOT NULL;
CREATE TABLE input(
  session INT NOT NULL REFERENCES session(id), kind INT NOT NULL, ts INT NOT NULL, PRIMARY KEY(session, kind)) WITHOUT ROWID;
CREATE TABLE policy(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL REFERENCES store(id), session INT REFERENCES session(id), text TEXT,
  actor INT NOT NULL REFERENCES actor(id), door INT NOT NULL, ts INT NOT NULL);
CREATE INDEX policy_store ON policy(store, session);
CREATE TABLE held(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL REFERENCES store(id), kind TEXT NOT NULL, path TEXT NOT NULL, dest TEXT NOT NULL,
  actor INT NOT NULL REFERENCES actor(id), session INT REFERENCES session(id), tool_use TEXT, turn INT, door INT NOT NULL, inputs INT,
  rule TEXT NOT NULL, ts INT NOT NULL, earlier INT, state TEXT NOT NULL DEFAULT 'waiting',
  decided INT, decider INT REFERENCES actor(id), decider_door INT, change INT, reason TEXT NOT NULL DEFAULT '');
CREATE INDEX held_store ON held(store, state);
CREATE INDEX held_session ON held(session);
CREATE TABLE held_item(
  held INT NOT NULL REFERENCES held(id), n INT NOT NULL, memory BLOB NOT NULL, base INT, path TEXT, text BLOB, PRIMARY KEY(held, n));
CREATE TABLE rejected(
  store INT NOT NULL REFERENCES store(id), hash BLOB NOT NULL, held INT NOT NULL, PRIMARY KEY(store, hash)) WITHOUT ROWID;
CREATE TABLE pin(
  store INT NOT NULL REFERENCES store(id), path TEXT NOT NULL, whom TEXT NOT NULL,
  actor INT NOT NULL REFERENCES actor(id), ts INT NOT NULL, PRIMARY KEY(store, path)) WITHOUT ROWID;
CREATE TABLE verified(
  id INTEGER PRIMARY KEY AUTOINCREMENT, version INT NOT NULL REFERENCES version(id), withdrawn INT NOT NULL,
  actor INT NOT NULL REFERENCES actor(id), ts INT NOT NULL);
CREATE INDEX verified_version ON verified(version);
CREATE INDEX store_files ON store(files);
CREATE TABLE "head"(
  store INT NOT NULL, path TEXT NOT NULL, memory INT NOT NULL, version INT NOT NULL,
  sha BLOB NOT NULL, bytes INT NOT NULL, binary INT NOT NULL, hidden INT NOT NULL,
  size INT NOT NULL, mtime INT NOT NULL, ctime INT NOT NULL, ino INT NOT NULL, seen INT NOT NULL,
  number INT NOT NULL, actor INT NOT NULL, ts INT NOT NULL, muid BLOB NOT NULL DEFAULT x'', vuid BLOB NOT NULL DEFAULT x'',
  packed BLOB NOT NULL AS (CAST(concat(number,' ',actor,' ',ts,' ',bytes,' ',binary,' ',hidden,' ',mtime,' ',
	octet_length(path),' ',path,length(muid),' ',muid,length(vuid),' ',vuid,length(sha),' ',sha) AS BLOB)) STORED,
  PRIMARY KEY(store, path)) WITHOUT ROWID;
CREATE UNIQUE INDEX head_memory ON head(memory);
CREATE INDEX head_alike ON head(store, lower(path));
CREATE TABLE branch(
  store INT PRIMARY KEY REFERENCES store(id), url TEXT NOT NULL, name TEXT NOT NULL, subdir TEXT NOT NULL,
  head TEXT NOT NULL DEFAULT '', remote TEXT NOT NULL DEFAULT '', sent INT NOT NULL DEFAULT 0, waits INT NOT NULL DEFAULT 0,
  erased INT NOT NULL DEFAULT 0, seen INT NOT NULL DEFAULT 0, comes INT NOT NULL DEFAULT 0,
  pushed INT NOT NULL DEFAULT 0);
CREATE TABLE shared(
  store INT NOT NULL REFERENCES store(id), id TEXT NOT NULL, change INT, held INT, PRIMARY KEY(store, id)) WITHOUT ROWID;
CREATE INDEX shared_change ON shared(store, change);
CREATE TABLE log(
  n INTEGER PRIMARY KEY, kind INT NOT NULL, id INT NOT NULL, store INT, ts INT NOT NULL,
  head BLOB NOT NULL, secret BLOB, was BLOB, hash BLOB NOT NULL);
CREATE INDEX log_of ON log(kind, id) WHERE kind<>4;
