package schema

import (
	_ "embed"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/repair"
)

// tables are those of the newest format, as its migrations make them. A new home is created with them: that takes a fifth of the
// time. The test of the checksums writes the file.
//
//go:embed tables.sql
var tables string

// Migrations lists the steps to the current schema. Never edit a released step: add a new one, and
// the test of the checksums prints its sum.
var Migrations = db.Schema{
	{Steps: Schema1, Sum: "304f2b1c3abe456f"},
	{Steps: Schema2, Sum: "b00b6d515f402e86"},
	{Steps: schema3, Sum: "6cce35628427740b"},
	{Steps: schema4, Sum: "6590a9c3086dc63a"},
	{Steps: schema5, Sum: "f1ba7035b327841c"},
	{Steps: schema6, Sum: "8f67a9eab8914a33"},
	{Steps: schema7, Sum: "c3cb95d5dd6ed899"},
	{Steps: schema8, Sum: "ef0766500e47b9f1"},
	{Steps: schema9, Sum: "5078d40f32196961"},
	{Steps: schema10, Sum: "228e2e3dbeacab4e"},
	{Steps: schema11, Sum: "aa10bdc205f9c006"},
	{Steps: schema12, Sum: "abb4443651ae9598"},
	{Steps: schema13, Sum: "059bf6d03ba4b93e"},
	{Steps: schema14, Sum: "12351f74b6188ad9"},
	{Steps: schema15, Sum: "7e7b87aa6173b26e", Whole: tables},
}

// Schema1 creates the trail's tables. Times are microseconds since 1970 in UTC. Ids (uid) are 15
// random bytes; people see a prefix and their base32 form. Hashes are 32 bytes.
//
//	store ──< change ──< version >── memory        one version for each memory of a change
//	  │                     │  └──> blob ──< blob_chunk
//	  └──< head ────────────┘                      head = newest version of a live memory
//	       change ──< attribution                  inferences of who made an adopted change
//	       change ──< intent                       open until the files of a change are flushed to disk
//	memory ──< read                              who read it when; not recorded for people
//	session ──< attachment >── store               what an agent's session may do in a store
//	memory ──  look                                what a person reviewed; no history
//	evidence >── store                             calls made outside of memend; no history
//	session ──< input                              what a session took in from outside
//	store ──< policy, pin                          what may be changed by whom
//	store ──< held ──< held_item                   changes that wait for a person
//	store ──  branch, ──< shared                   the git branch that it is kept in step with, and what is on it
//	store ──< rejected                             lines that may not come back unseen
//	version ──< verified                           what a person found to be true; kept from homes that had such marks
//	log                                            all of this but reads and attachments, in records; see package journal
//
// ts never decreases: it is the maximum of the clock and the last ts, so that a store's
// changes have the same order by time and by number. wall is what the clock showed.
const Schema1 = `
CREATE TABLE store(
  id INTEGER PRIMARY KEY, uid BLOB NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '', metadata TEXT NOT NULL DEFAULT '{}',
  folder TEXT NOT NULL UNIQUE, created INT NOT NULL, updated INT NOT NULL, archived INT,
  used INT NOT NULL, changes INT NOT NULL DEFAULT 0);
CREATE TABLE actor(
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(kind, name));
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
  ts INT NOT NULL, wall INT NOT NULL, undoes INT, undone_by INT, UNIQUE(store, number));
CREATE INDEX change_session ON change(session, id);
CREATE TABLE version(
  id INTEGER PRIMARY KEY AUTOINCREMENT, uid BLOB NOT NULL UNIQUE, memory INT NOT NULL REFERENCES memory(id),
  number INT NOT NULL, change INT NOT NULL REFERENCES change(id), op TEXT NOT NULL,
  path TEXT, origin TEXT, blob INT REFERENCES blob(id), mode INT, source INT,
  redacted INT, redacted_by INT, UNIQUE(memory, number));
CREATE INDEX version_change ON version(change);
CREATE INDEX version_blob ON version(blob);
CREATE INDEX version_path ON version(path, id);
CREATE TABLE head(
  store INT NOT NULL, path TEXT NOT NULL, memory INT NOT NULL, version INT NOT NULL,
  sha BLOB NOT NULL, bytes INT NOT NULL, binary INT NOT NULL, hidden INT NOT NULL,
  size INT NOT NULL, mtime INT NOT NULL, ctime INT NOT NULL, ino INT NOT NULL, seen INT NOT NULL,
  number INT NOT NULL, actor INT NOT NULL, ts INT NOT NULL,
  PRIMARY KEY(store, path)) WITHOUT ROWID;
CREATE UNIQUE INDEX head_memory ON head(memory);
CREATE TABLE intent(
  change INT NOT NULL REFERENCES change(id), n INT NOT NULL, op TEXT NOT NULL, path TEXT NOT NULL,
  dest TEXT NOT NULL, old BLOB, new BLOB, mode INT NOT NULL, PRIMARY KEY(change, n)) WITHOUT ROWID;
`

// Schema2 is the migration to format 2.
const Schema2 = `
ALTER TABLE store ADD COLUMN max_bytes INT;    -- limits; NULL is the default, 0 none
ALTER TABLE store ADD COLUMN max_memories INT;
ALTER TABLE store ADD COLUMN view_chars INT;

-- The ids of memory and version again, so that a listing is a scan of one table.
ALTER TABLE head ADD COLUMN muid BLOB NOT NULL DEFAULT x'';
ALTER TABLE head ADD COLUMN vuid BLOB NOT NULL DEFAULT x'';
UPDATE head SET muid=(SELECT uid FROM memory WHERE id=head.memory), vuid=(SELECT uid FROM version WHERE id=head.version);

-- boot: the run of the system in which the steps were to be done; carried: they
-- were, as far as this run can see (2: but a sync failed). Until the row goes a loss of
-- power may take them back.
ALTER TABLE intent ADD COLUMN store INT NOT NULL DEFAULT 0;
ALTER TABLE intent ADD COLUMN boot TEXT NOT NULL DEFAULT '';
ALTER TABLE intent ADD COLUMN carried INT NOT NULL DEFAULT 0;
UPDATE intent SET store=(SELECT store FROM change WHERE id=intent.change);
CREATE INDEX intent_store ON intent(store, carried);

CREATE TABLE read(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL REFERENCES store(id), memory INT NOT NULL REFERENCES memory(id),
  version INT, actor INT NOT NULL REFERENCES actor(id), session INT REFERENCES session(id), tool_use TEXT, turn INT, ts INT NOT NULL);
CREATE INDEX read_memory ON read(memory, ts, session); -- with all that the badges of a tree need
CREATE INDEX read_session ON read(session, store);
CREATE TABLE attachment(
  session INT NOT NULL REFERENCES session(id), store INT NOT NULL REFERENCES store(id), n INT NOT NULL,
  access TEXT NOT NULL, instructions TEXT NOT NULL DEFAULT '', PRIMARY KEY(session, store)) WITHOUT ROWID;

-- A receipt of each redaction. pending: the database's log could not be emptied
-- yet because somebody read in it; whoever opens the trail next tries again.
CREATE TABLE redaction(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL, change INT, actor INT NOT NULL REFERENCES actor(id),
  session INT REFERENCES session(id), ts INT NOT NULL, versions INT NOT NULL, pending INT NOT NULL, receipt TEXT NOT NULL DEFAULT '');
`

const schema3 = `
-- What a person looked at: none of it is history. looked: changes up to this number
-- count as seen; NULL: nobody ever looked. view: how the screens showed the store,
-- in ids and numbers; emptied by each redaction.
ALTER TABLE store ADD COLUMN looked INT;
ALTER TABLE store ADD COLUMN view BLOB NOT NULL DEFAULT x'';
CREATE TABLE look(
  memory INTEGER PRIMARY KEY REFERENCES memory(id) ON DELETE CASCADE, store INT NOT NULL REFERENCES store(id),
  seen INT NOT NULL DEFAULT 0, pinned INT NOT NULL DEFAULT 0);
CREATE INDEX look_store ON look(store);

-- What was read in a store, and by a session, in the order of time.
CREATE INDEX read_store ON read(store, ts);
DROP INDEX read_session;
CREATE INDEX read_session ON read(session, store, ts);
`

const schema4 = `
-- What the memory-stores API calls the store: any text, and two may have the same;
-- '': its name. upstream: where a replica's store is kept, as JSON; '': here.
ALTER TABLE store ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE store ADD COLUMN upstream TEXT NOT NULL DEFAULT '';

-- inferred: actor, session and tool call of an adopted change were concluded from what
-- an agent told of its calls; nobody saw it write. The conclusions of a store are
-- numbered from 1, so that who watches sees the new ones; 0: none.
ALTER TABLE change ADD COLUMN inferred INT NOT NULL DEFAULT 0;
CREATE INDEX change_inferred ON change(store, inferred) WHERE inferred>0;

-- Calls that agents made elsewhere, as they were told of: who may have written what is
-- found in a folder. sha: of the file after it, where that is known; began: 0 where it
-- is not; change: the one that was found to be the call's. It is no history: what can
-- explain nothing any more goes, and all of it with each redaction.
CREATE TABLE evidence(
  id INTEGER PRIMARY KEY, store INT NOT NULL REFERENCES store(id), op TEXT NOT NULL, path TEXT NOT NULL, origin TEXT NOT NULL DEFAULT '',
  agent TEXT NOT NULL, session TEXT NOT NULL, tool_use TEXT NOT NULL, turn INT NOT NULL, began INT NOT NULL, ended INT NOT NULL, sha BLOB, change INT);
CREATE INDEX evidence_store ON evidence(store, ended);
`

const schema5 = `
-- began: nothing is known of the store before this change: what the first scan of its
-- folder found was there already. NULL until that scan is done, 0 where the folder was
-- made for the store. home: the home in which the folder was chosen, as long as that is outside of it.
-- The folder itself is relative to the home where it is inside of it.
ALTER TABLE store ADD COLUMN began INT;
ALTER TABLE store ADD COLUMN home TEXT NOT NULL DEFAULT '';
UPDATE store SET began=(SELECT count(*) FROM change WHERE store=store.id AND number=1 AND kind='adopt');

-- done: when the steps were done, in nanoseconds by the clock of this machine; 0: not
-- noted. A file that was written later is another program's work.
ALTER TABLE intent ADD COLUMN done INT NOT NULL DEFAULT 0;
-- folder_identity: the folder itself (device and inode) when its memories were last
-- seen in it; '': not known.
ALTER TABLE store ADD COLUMN folder_identity TEXT NOT NULL DEFAULT '';
-- Changes made more than a day earlier, by the clock, than their times say: the clock had
-- been ahead. Mostly there are none.
CREATE INDEX change_ahead ON change(store, number) WHERE wall<ts-86400000000;
`

const schema6 = `
-- What the commit said that the change was imported from: its message, without the
-- newlines at its end, and the e-mail address of its author. NULL: not known.
ALTER TABLE change ADD COLUMN message TEXT;
ALTER TABLE change ADD COLUMN email TEXT;
`

const schema7 = `
-- How an agent's client names itself for people, as it said last. NULL: not known.
ALTER TABLE actor ADD COLUMN title TEXT;
`

const schema8 = `
-- Who is inferred to have made an adopted change, and when that was concluded. The newest
-- row of a change counts; one for outside says that an earlier one was wrong. The change
-- itself says outside, because nobody was seen making it.
CREATE TABLE attribution(
  id INTEGER PRIMARY KEY AUTOINCREMENT, change INT NOT NULL REFERENCES change(id), actor INT NOT NULL REFERENCES actor(id),
  session INT REFERENCES session(id), tool_use TEXT, turn INT, ts INT NOT NULL);
CREATE INDEX attribution_change ON attribution(change);
CREATE INDEX attribution_session ON attribution(session) WHERE session IS NOT NULL;
INSERT INTO attribution(change,actor,session,tool_use,turn,ts) SELECT id,actor,session,tool_use,turn,ts FROM change WHERE inferred>0 ORDER BY store,inferred;
INSERT OR IGNORE INTO actor(kind,name) SELECT 'outside','' WHERE EXISTS(SELECT 1 FROM attribution);
UPDATE change SET actor=(SELECT id FROM actor WHERE kind='outside' AND name=''), session=NULL, tool_use=NULL, turn=NULL WHERE inferred>0;

-- records_read: agents' records of what they did are complete for the changes up to this
-- number, and were read.
ALTER TABLE store ADD COLUMN records_read INT NOT NULL DEFAULT 0;
UPDATE store SET records_read=coalesce((SELECT max(number) FROM change WHERE store=store.id AND inferred=-1),0);
DROP INDEX change_inferred;
ALTER TABLE change DROP COLUMN inferred;

-- A receipt calls a current memory current.
UPDATE redaction SET receipt=replace(receipt,'"live":true','"current":true') WHERE receipt LIKE '%"live":true%';
`

const schema9 = `
-- door: how the change came in, as a number of Door; NULL: not known. inputs: what the session had
-- taken in by then, as bits of Inputs; NULL: nothing that is known.
ALTER TABLE change ADD COLUMN door INT;
ALTER TABLE change ADD COLUMN inputs INT;
ALTER TABLE attribution ADD COLUMN inputs INT;

-- What a session took in from outside its memories: the first time of each kind, a bit of Inputs.
CREATE TABLE input(
  session INT NOT NULL REFERENCES session(id), kind INT NOT NULL, ts INT NOT NULL, PRIMARY KEY(session, kind)) WITHOUT ROWID;

-- The policies of a store, and of sessions in it. The newest row of a session counts, else the newest
-- without one. text NULL: the session has none any more.
CREATE TABLE policy(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL REFERENCES store(id), session INT REFERENCES session(id), text TEXT,
  actor INT NOT NULL REFERENCES actor(id), door INT NOT NULL, ts INT NOT NULL);
CREATE INDEX policy_store ON policy(store, session);

-- Changes that wait for a person, or did. state: waiting, accepted, rejected, erased (its text was
-- redacted). rule: why it was held. change: the number of the accepted change; 0: there was nothing to
-- change any more. earlier: the rejected one whose text it brings back.
CREATE TABLE held(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL REFERENCES store(id), kind TEXT NOT NULL, path TEXT NOT NULL, dest TEXT NOT NULL,
  actor INT NOT NULL REFERENCES actor(id), session INT REFERENCES session(id), tool_use TEXT, turn INT, door INT NOT NULL, inputs INT,
  rule TEXT NOT NULL, ts INT NOT NULL, earlier INT, state TEXT NOT NULL DEFAULT 'waiting',
  decided INT, decider INT REFERENCES actor(id), decider_door INT, change INT, reason TEXT NOT NULL DEFAULT '');
CREATE INDEX held_store ON held(store, state);
CREATE INDEX held_session ON held(session);

-- What a held change does to each memory. memory: its id, also if it is to be created. base: the
-- version that it replaces; NULL: there is none. path: afterwards, NULL if the memory is deleted.
-- text: its new content; NULL: it stays.
CREATE TABLE held_item(
  held INT NOT NULL REFERENCES held(id), n INT NOT NULL, memory BLOB NOT NULL, base INT, path TEXT, text BLOB, PRIMARY KEY(held, n));

-- Hashes of lines that a person rejected, salted by store.salt. held: with what.
CREATE TABLE rejected(
  store INT NOT NULL REFERENCES store(id), hash BLOB NOT NULL, held INT NOT NULL, PRIMARY KEY(store, hash)) WITHOUT ROWID;
ALTER TABLE store ADD COLUMN salt BLOB;

-- Memories and folders that are read-only. whom: agents, or all.
CREATE TABLE pin(
  store INT NOT NULL REFERENCES store(id), path TEXT NOT NULL, whom TEXT NOT NULL,
  actor INT NOT NULL REFERENCES actor(id), ts INT NOT NULL, PRIMARY KEY(store, path)) WITHOUT ROWID;
`

const schema10 = `
-- The chains by which an altered row was found, until the log came in format 14. salt: makes the commitment of the row
-- unguessable; of a change NULL while it is computed from those of its versions. committed: the commitment
-- before the row was first amended; NULL: it was not.
ALTER TABLE actor ADD COLUMN salt BLOB;
ALTER TABLE actor ADD COLUMN committed BLOB;
ALTER TABLE session ADD COLUMN salt BLOB;
ALTER TABLE session ADD COLUMN committed BLOB;
ALTER TABLE version ADD COLUMN salt BLOB;
ALTER TABLE version ADD COLUMN committed BLOB;
ALTER TABLE change ADD COLUMN salt BLOB;
ALTER TABLE change ADD COLUMN committed BLOB;
ALTER TABLE attribution ADD COLUMN salt BLOB;
ALTER TABLE policy ADD COLUMN salt BLOB;
ALTER TABLE held ADD COLUMN salt BLOB;
ALTER TABLE redaction ADD COLUMN salt BLOB;
ALTER TABLE store ADD COLUMN sealed BLOB; -- the salt for its pins and rejected lines

-- mark: the first bytes of the chain's hash after the change. chain: the last hash, and after it the one before
-- the newest change while that may be given up. acts, acted: the number of acts and their last hash.
ALTER TABLE change ADD COLUMN mark BLOB;
ALTER TABLE store ADD COLUMN chain BLOB;
ALTER TABLE store ADD COLUMN acts INT NOT NULL DEFAULT 0;
ALTER TABLE store ADD COLUMN acted BLOB;
CREATE TABLE act(
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INT NOT NULL REFERENCES store(id), number INT NOT NULL, ts INT NOT NULL,
  data BLOB NOT NULL, mark BLOB NOT NULL, UNIQUE(store, number));
`

const schema11 = `
-- Versions that a person found to be true, or withdrew that of. The newest row of a memory counts,
-- as long as the memory has the content of its version.
CREATE TABLE verified(
  id INTEGER PRIMARY KEY AUTOINCREMENT, version INT NOT NULL REFERENCES version(id), withdrawn INT NOT NULL,
  actor INT NOT NULL REFERENCES actor(id), ts INT NOT NULL, salt BLOB);
CREATE INDEX verified_version ON verified(version);
`

const schema12 = `
-- The files of the folder that are the store's memories, as a JSON array of patterns; '': all files. The
-- index is for repairs: a store that lost its patterns would take in the whole folder.
ALTER TABLE store ADD COLUMN files TEXT NOT NULL DEFAULT '';
CREATE INDEX store_files ON store(files);
`

const schema13 = `
-- Agents work on this store if they name none. Until now that was the one called memories, whatever folder it
-- was: it stays so only if memend made its folder.
ALTER TABLE store ADD COLUMN agents INT NOT NULL DEFAULT 0;
UPDATE store SET agents=1 WHERE name='memories' AND folder='stores/memories' AND home='';
`

const schema14 = `
-- What a change did to links, folders and files without versions, for its undo; see othersText. NULL:
-- nothing, or it was made by an earlier release. target: of a link that a step creates or removes.
ALTER TABLE change ADD COLUMN others TEXT;
-- The links in the folder, in the same form, as the last scan found them. NULL: not known yet.
ALTER TABLE store ADD COLUMN links TEXT;
ALTER TABLE intent ADD COLUMN target TEXT NOT NULL DEFAULT '';

-- A replica that ssh connected, or that was in step with a folder outside the home, is an ordinary store now.
-- parted: the URL of its service, until a person was told.
ALTER TABLE store ADD COLUMN parted TEXT NOT NULL DEFAULT '';
UPDATE store SET parted=upstream->>'url', upstream='' WHERE upstream<>'' AND (home<>'' OR upstream->>'url' LIKE 'ssh:%');
UPDATE redaction SET pending=0 WHERE pending<0 AND store IN (SELECT id FROM store WHERE parted<>'');

-- packed: what a listing shows as one value; see headReader.
CREATE TABLE packed(
  store INT NOT NULL, path TEXT NOT NULL, memory INT NOT NULL, version INT NOT NULL,
  sha BLOB NOT NULL, bytes INT NOT NULL, binary INT NOT NULL, hidden INT NOT NULL,
  size INT NOT NULL, mtime INT NOT NULL, ctime INT NOT NULL, ino INT NOT NULL, seen INT NOT NULL,
  number INT NOT NULL, actor INT NOT NULL, ts INT NOT NULL, muid BLOB NOT NULL DEFAULT x'', vuid BLOB NOT NULL DEFAULT x'',
  packed BLOB NOT NULL AS (` + repair.PackedHead + `) STORED,
  PRIMARY KEY(store, path)) WITHOUT ROWID;
INSERT INTO packed SELECT store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid FROM head;
DROP TABLE head;
ALTER TABLE packed RENAME TO head;
CREATE UNIQUE INDEX head_memory ON head(memory);

-- Finds the memories whose names differ only by case, without a scan of their folder.
CREATE INDEX head_alike ON head(store, lower(path));

-- The git branch that a store is kept in step with. head: the last commit that has all changes up to sent, and all
-- that was taken in; remote: the last known one of the branch there; "": none. waits: the tree of head has texts of
-- held changes in place of the store's. erased: a redaction removed the repository here; the one there still has the text.
-- pushed: the changes up to this one are on the branch there, or came from it.
-- seen: when the branch there was looked at last; 0: never. comes: commits that it had then and this home had not.
CREATE TABLE branch(
  store INT PRIMARY KEY REFERENCES store(id), url TEXT NOT NULL, name TEXT NOT NULL, subdir TEXT NOT NULL,
  head TEXT NOT NULL DEFAULT '', remote TEXT NOT NULL DEFAULT '', sent INT NOT NULL DEFAULT 0, waits INT NOT NULL DEFAULT 0,
  erased INT NOT NULL DEFAULT 0, seen INT NOT NULL DEFAULT 0, comes INT NOT NULL DEFAULT 0,
  pushed INT NOT NULL DEFAULT 0);

-- The changes that are on the branch, by their names there: the id that the home gave them that made them, and the commit
-- that they came with. change, held: their number here, beside the id; both NULL: a commit, or nothing was changed here.
CREATE TABLE shared(
  store INT NOT NULL REFERENCES store(id), id TEXT NOT NULL, change INT, held INT, PRIMARY KEY(store, id)) WITHOUT ROWID;
CREATE INDEX shared_change ON shared(store, change);

-- The log of all that the tables above it say; see package journal. It replaces the chains of a store.
CREATE TABLE log(
  n INTEGER PRIMARY KEY, kind INT NOT NULL, id INT NOT NULL, store INT, ts INT NOT NULL,
  head BLOB NOT NULL, secret BLOB, was BLOB, hash BLOB NOT NULL);
CREATE INDEX log_of ON log(kind, id) WHERE kind<>4; -- a change knows the number of its newest record
ALTER TABLE change ADD COLUMN record INT;
DROP TABLE act;
ALTER TABLE actor DROP COLUMN salt;
ALTER TABLE actor DROP COLUMN committed;
ALTER TABLE session DROP COLUMN salt;
ALTER TABLE session DROP COLUMN committed;
ALTER TABLE version DROP COLUMN salt;
ALTER TABLE version DROP COLUMN committed;
ALTER TABLE change DROP COLUMN salt;
ALTER TABLE change DROP COLUMN committed;
ALTER TABLE change DROP COLUMN mark;
ALTER TABLE attribution DROP COLUMN salt;
ALTER TABLE policy DROP COLUMN salt;
ALTER TABLE held DROP COLUMN salt;
ALTER TABLE redaction DROP COLUMN salt;
ALTER TABLE verified DROP COLUMN salt;
ALTER TABLE store DROP COLUMN sealed;
ALTER TABLE store DROP COLUMN chain;
ALTER TABLE store DROP COLUMN acts;
ALTER TABLE store DROP COLUMN acted;
`

const schema15 = `
-- What of a memory was reviewed, when not all of it was: its text and path, and the number of the version that it was compared
-- with; NULL: nothing. Every redaction in the store deletes them.
ALTER TABLE look ADD COLUMN kept BLOB;
ALTER TABLE look ADD COLUMN kept_path TEXT;
ALTER TABLE look ADD COLUMN kept_at INT;
`
