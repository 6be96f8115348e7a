package repair

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/journal"
)

// rebuild is the transaction that rebuilds a damaged database.
type rebuild struct {
	*db.Tx
	config   db.Config
	folders  string // the folder of the folders of lost stores
	now      int64
	format   int              // of the damaged database
	sequence map[string]int64 // the highest row id that a table ever had, according to the database
	done     *Done
	progress func(done, total int)
}

// all executes the statements in order.
func (m *rebuild) all(texts ...string) error {
	for _, text := range texts {
		if m.Exec(text); m.Err() != nil {
			return fmt.Errorf("%w: %s", m.Err(), text)
		}
	}
	return nil
}

// references lists the columns that refer to rows of other tables. No row id is 0.
var references = []string{"store", "actor", "memory", "change", "session", "blob", "version"}

// write fills an empty database with the rows that can still be read from a damaged one.
func (m *rebuild) write(old *db.Salvage) error {
	m.format = old.Format
	if err := m.config.Schema.Migrate(m.Tx, 0, old.Format); err != nil {
		return err
	}
	if err := old.CopyTo(m.Tx, references); err != nil {
		return err
	}
	m.sequence = old.Sequence
	if old.Format < len(m.config.Schema) { // the migration steps don't handle lost rows
		if err := m.all(`DELETE FROM head WHERE memory NOT IN (SELECT id FROM memory) OR version NOT IN (SELECT id FROM version)`,
			`DELETE FROM intent WHERE change NOT IN (SELECT id FROM change)`); err != nil {
			return err
		}
	}
	if err := m.config.Schema.Migrate(m.Tx, old.Format, len(m.config.Schema)); err != nil {
		return err
	}
	if m.config.Upgrade != nil {
		if err := m.config.Upgrade(m.Tx, old.Format); err != nil {
			return err
		}
	}
	if old.Format < journal.Format { // the migration recorded what was not mended yet
		if err := m.mend(); err != nil {
			return err
		}
		if err := m.all(`DELETE FROM log`); err != nil {
			return err
		}
		return journal.Begin(m, m.now, func(int, int) {})
	}
	if _, err := journal.Replay(m, m.progress); err != nil {
		return err
	}
	if err := m.mend(); err != nil {
		return err
	}
	return journal.Restart(m, m.now)
}

// mend removes references to lost rows and marks what is lost.
func (m *rebuild) mend() error {
	// Without its patterns a store of named files would take in the whole folder.
	m.Exec(`UPDATE store SET folder=?||'/lost-'||id, files='' WHERE files<>'' AND NOT json_valid(files)`, m.folders)
	if err := m.all(
		`UPDATE store SET uid=randomblob(15) WHERE uid IN (x'',zeroblob(15))`,
		`UPDATE memory SET uid=randomblob(15) WHERE uid IN (x'',zeroblob(15))`,
		`UPDATE version SET uid=randomblob(15) WHERE uid IN (x'',zeroblob(15))`,
		`INSERT INTO memory(id,uid,store) SELECT v.memory, coalesce((SELECT muid FROM head h WHERE h.memory=v.memory AND length(muid)>0 AND muid NOT IN (SELECT uid FROM memory)), randomblob(15)), 0
			FROM version v WHERE v.memory NOT IN (SELECT id FROM memory) GROUP BY v.memory`,
		`UPDATE memory SET store=coalesce(
			(SELECT c.store FROM version v JOIN change c ON c.id=v.change WHERE v.memory=memory.id AND c.store>0 LIMIT 1),
			(SELECT h.store FROM head h WHERE h.memory=memory.id),
			(SELECT c.store FROM change c WHERE c.id<(SELECT min(v.change) FROM version v WHERE v.memory=memory.id) ORDER BY c.id DESC LIMIT 1),
			(SELECT min(id) FROM store), 1) WHERE store=0`,
	); err != nil {
		return err
	}
	if err := m.stores(); err != nil {
		return err
	}
	if err := m.changes(); err != nil {
		return err
	}
	if err := m.makers(); err != nil {
		return err
	}
	if err := m.versions(); err != nil {
		return err
	}
	if err := m.loseContents(); err != nil {
		return err
	}
	return m.finish()
}

// stores creates a row for each lost store that other rows refer to. Its folder is unknown, so the
// user has to name it.
func (m *rebuild) stores() error {
	ids, err := db.Values[int64](m.Rows(`SELECT store FROM memory UNION SELECT store FROM change EXCEPT SELECT id FROM store`))
	if err != nil {
		return err
	}
	for _, id := range ids {
		name := fmt.Sprintf("lost-%d", id)
		m.Exec(`INSERT INTO store(id,uid,name,folder,created,updated,used) VALUES(?,randomblob(15),?,?,0,0,0)`, id, name, m.folders+"/"+name)
	}
	return m.all(`UPDATE store SET created=coalesce((SELECT min(ts) FROM change WHERE store=store.id AND ts>0),0), updated=coalesce((SELECT max(ts) FROM change WHERE store=store.id),0),
		used=coalesce((SELECT max(ts) FROM change WHERE store=store.id),0) WHERE created=0`)
}

// numbered is a row of a sequence. Its ids and its numbers both increase, and rows of other
// sequences may have the ids in between.
type numbered struct {
	id, number int64
	lost       bool // only the id is known
}

// gap is a range of ids that contains lost rows: need rows had ids between after and before.
type gap struct{ of, after, before, need int64 }

// gaps returns the known ids of a sequence's lost rows, and the gaps in its numbers that show
// further lost rows. The rows are ordered by id. upTo is the last number and top the highest id
// that the sequence may have reached.
func gaps(of int64, rows []numbered, upTo, top int64) (known []int64, out []gap) {
	last, between := numbered{}, int64(0)
	fill := func(next numbered) {
		if need := next.number - last.number - 1 - between; need > 0 {
			out = append(out, gap{of, last.id, next.id, need})
		}
		last, between = next, 0
	}
	for _, r := range rows {
		if r.lost {
			known = append(known, r.id)
		}
		// A number that decreases, or that grows faster than the ids, is itself damaged.
		if r.lost || r.number <= last.number || r.number-last.number > r.id-last.id {
			between++
			continue
		}
		fill(r)
	}
	if upTo-last.number <= top-last.id {
		fill(numbered{id: top + 1, number: upTo + 1})
	}
	return known, out
}

// assign gives free ids to lost rows. It starts with the gaps that end first.
func assign(all []gap, used db.RowSet, each func(of, id int64) error) error {
	slices.SortStableFunc(all, func(a, b gap) int { return cmp.Compare(a.before, b.before) })
	for _, g := range all {
		for id := g.after + 1; g.need > 0 && id < g.before; id++ {
			if used.Has(id) {
				continue
			}
			used.Add(id)
			g.need--
			if err := each(g.of, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes marks the lost changes of all stores.
func (m *rebuild) changes() error {
	taken, err := db.Values[int64](m.Rows(`SELECT id FROM change UNION SELECT change FROM version UNION SELECT change FROM intent`))
	if err != nil {
		return err
	}
	used := db.RowSet{}
	top := m.top("change", taken)
	for _, id := range taken {
		used.Add(id)
	}
	if _, known := m.sequence["change"]; !known { // fall back to the counts in the stores
		var counted int64
		if err := m.Row(`SELECT coalesce(sum(changes),0) FROM store WHERE changes BETWEEN 0 AND ?`, maxLostRows).Scan(&counted); err != nil {
			return err
		}
		top += counted
	}
	stores, err := db.Values[int64](m.Rows(`SELECT id FROM store`))
	if err != nil {
		return err
	}
	// renumber sets the final number. Until then the row has a number that no other row has.
	lose := func(store, id int64) error {
		m.Exec(`INSERT OR IGNORE INTO change(id,store,number,kind,path,actor,ts,wall) VALUES(?,?,?,'lost','',0,0,0)`, id, store, -id)
		return m.Err()
	}
	var all []gap
	for _, store := range stores {
		rows, err := m.numbered(`SELECT id,number,0 FROM change WHERE store=?1
			UNION SELECT v.change,0,1 FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1 AND v.change NOT IN (SELECT id FROM change)
			UNION SELECT change,0,1 FROM intent WHERE store=?1 AND change NOT IN (SELECT id FROM change) ORDER BY 1`, store)
		if err != nil {
			return err
		}
		var upTo int64
		if err := m.Row(`SELECT changes FROM store WHERE id=?`, store).Scan(&upTo); err != nil {
			return err
		}
		known, open := gaps(store, rows, upTo, top)
		for _, id := range known {
			if err := lose(store, id); err != nil {
				return err
			}
		}
		all = append(all, open...)
	}
	if err := assign(all, used, lose); err != nil {
		return err
	}
	m.Exec(`UPDATE change SET path=(SELECT max(path) FROM version WHERE change=change.id) WHERE kind='lost' AND
		(SELECT count(path) FROM version WHERE change=change.id)=1`)
	return m.Err()
}

func (m *rebuild) numbered(text string, args ...any) (out []numbered, err error) {
	var r numbered
	return db.All(m.Rows(text, args...), &r, &r.id, &r.number, &r.lost)
}

// top returns the highest row id that a table ever had: the value that SQLite keeps if it is
// plausible, otherwise the highest id of the rows, which are assigned in order.
func (m *rebuild) top(table string, ids []int64) int64 {
	var top int64
	if len(ids) > 0 {
		top = ids[len(ids)-1]
	}
	if seq := m.sequence[table]; seq > top && seq-top < maxLostRows {
		top = seq
	}
	return top
}

// maxLostRows is the largest number of rows that a repair assumes lost after the last row.
const maxLostRows = 1 << 20

// makers creates a row for each lost session and actor that other rows refer to. It sets the actors
// of lost changes and sessions where other rows still know them.
func (m *rebuild) makers() error {
	m.Exec(`INSERT OR IGNORE INTO actor(kind,name) VALUES('damage','')`)
	return m.all(
		`INSERT INTO session(id,uid,actor,started,seen) SELECT session,'lost-'||session,0,0,0 FROM
			(SELECT session FROM change UNION SELECT session FROM attribution UNION SELECT session FROM read UNION SELECT session FROM attachment UNION SELECT session FROM redaction
			UNION SELECT session FROM input UNION SELECT session FROM policy UNION SELECT session FROM held)
			WHERE session IS NOT NULL AND session NOT IN (SELECT id FROM session)`,
		`UPDATE session SET actor=coalesce((SELECT actor FROM change WHERE session=session.id AND actor>0 ORDER BY id DESC LIMIT 1),
			(SELECT actor FROM attribution WHERE session=session.id AND actor>0 LIMIT 1), (SELECT actor FROM read WHERE session=session.id AND actor>0 LIMIT 1), (SELECT id FROM actor WHERE kind='damage' AND name='')) WHERE actor=0`,
		`UPDATE session SET started=coalesce((SELECT min(ts) FROM change WHERE session=session.id AND ts>0),0), seen=coalesce((SELECT max(ts) FROM change WHERE session=session.id),0) WHERE started=0`,
		`UPDATE change SET actor=h.actor, ts=h.ts, wall=h.ts FROM head h WHERE change.actor=0 AND h.store=change.store AND h.number=change.number`,
		`UPDATE change SET actor=coalesce((SELECT actor FROM session WHERE id=change.session),(SELECT id FROM actor WHERE kind='damage' AND name='')) WHERE actor=0`,
		`UPDATE attribution SET actor=coalesce((SELECT actor FROM session WHERE id=attribution.session),(SELECT id FROM actor WHERE kind='damage' AND name='')) WHERE actor=0`,
		`UPDATE held SET actor=coalesce((SELECT actor FROM session WHERE id=held.session),(SELECT id FROM actor WHERE kind='damage' AND name='')) WHERE actor=0`,
		`UPDATE policy SET actor=(SELECT id FROM actor WHERE kind='damage' AND name='') WHERE actor=0`,
		`UPDATE verified SET actor=(SELECT id FROM actor WHERE kind='damage' AND name='') WHERE actor=0`,
		`UPDATE pin SET actor=(SELECT id FROM actor WHERE kind='damage' AND name='') WHERE actor=0`,
		`UPDATE read SET actor=coalesce((SELECT actor FROM session WHERE id=read.session),(SELECT id FROM actor WHERE kind='damage' AND name='')) WHERE actor=0`,
		`INSERT INTO actor(id,kind,name) SELECT actor,'damage','actor '||actor FROM
			(SELECT actor FROM change UNION SELECT actor FROM attribution UNION SELECT actor FROM session UNION SELECT actor FROM read UNION SELECT actor FROM redaction UNION SELECT redacted_by FROM version
			UNION SELECT actor FROM policy UNION SELECT actor FROM pin UNION SELECT actor FROM verified UNION SELECT actor FROM held UNION SELECT decider FROM held)
			WHERE actor IS NOT NULL AND actor NOT IN (SELECT id FROM actor)`,
	)
}

// loseContents creates a row for each lost content that a version refers to. An unknown hash is
// stored as a shorter value than a real hash.
func (m *rebuild) loseContents() error {
	return m.all(
		`UPDATE blob SET sha=randomblob(16) WHERE length(sha)<>32 OR sha=zeroblob(32)`,
		`UPDATE version SET op='modified' WHERE op='deleted' AND blob IS NOT NULL AND redacted IS NULL`,
		`UPDATE version SET blob=(SELECT coalesce(max(id),0) FROM (SELECT id FROM blob UNION SELECT blob FROM version))+id WHERE blob IS NULL AND op<>'deleted' AND redacted IS NULL`,
		`INSERT INTO blob(id,sha,size,enc,data) SELECT blob,randomblob(16),0,16,x'' FROM version WHERE blob IS NOT NULL AND blob NOT IN (SELECT id FROM blob) GROUP BY blob`,
	)
}

// finish removes rows that refer to nothing or that nothing refers to, and recounts.
func (m *rebuild) finish() error {
	if err := m.all(
		`DELETE FROM blob WHERE id NOT IN (SELECT blob FROM version WHERE blob IS NOT NULL)`,
		`DELETE FROM blob_chunk WHERE blob NOT IN (SELECT id FROM blob)`,
		`DELETE FROM memory WHERE id NOT IN (SELECT memory FROM version)`,
		`DELETE FROM intent WHERE change NOT IN (SELECT id FROM change)`,
		`DELETE FROM read WHERE store NOT IN (SELECT id FROM store) OR memory NOT IN (SELECT id FROM memory)`,
		`DELETE FROM attachment WHERE store NOT IN (SELECT id FROM store)`,
		`DELETE FROM look WHERE memory NOT IN (SELECT id FROM memory WHERE store=look.store)`,
		`DELETE FROM policy WHERE store NOT IN (SELECT id FROM store)`,
		`DELETE FROM pin WHERE store NOT IN (SELECT id FROM store)`,
		`DELETE FROM branch WHERE store NOT IN (SELECT id FROM store)`,
		`DELETE FROM shared WHERE store NOT IN (SELECT id FROM store)`,
		`DELETE FROM verified WHERE version NOT IN (SELECT id FROM version)`,
		`DELETE FROM rejected WHERE store NOT IN (SELECT id FROM store)`,
		`DELETE FROM held WHERE store NOT IN (SELECT id FROM store)`,
		`DELETE FROM held_item WHERE held NOT IN (SELECT id FROM held)`,
		`UPDATE held SET state='erased' WHERE state='waiting' AND NOT EXISTS(SELECT 1 FROM held_item WHERE held=held.id)`,
		`DELETE FROM evidence WHERE store NOT IN (SELECT id FROM store)`,
		`UPDATE evidence SET change=NULL WHERE NOT EXISTS(SELECT 1 FROM change WHERE id=evidence.change AND store=evidence.store AND kind='adopt')`,
		`DELETE FROM attribution WHERE change NOT IN (SELECT id FROM change) OR id IN (SELECT w.id FROM attribution w JOIN change c ON c.id=w.change WHERE `+notInferable+`)`,
		`DELETE FROM actor WHERE kind='damage' AND name='' AND id NOT IN (SELECT actor FROM change UNION SELECT actor FROM attribution UNION SELECT actor FROM session UNION SELECT actor FROM read
			UNION SELECT redacted_by FROM version WHERE redacted_by IS NOT NULL UNION SELECT actor FROM policy UNION SELECT actor FROM pin UNION SELECT actor FROM verified UNION SELECT actor FROM held
			UNION SELECT decider FROM held WHERE decider IS NOT NULL)`,
		`UPDATE change SET versions=(SELECT count(*) FROM version WHERE change=change.id) WHERE versions<>(SELECT count(*) FROM version WHERE change=change.id)`,
	); err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(m.sequence)) {
		ids, err := db.Values[int64](m.Rows(`SELECT coalesce(seq,0) FROM sqlite_sequence WHERE name=?`, table))
		if err != nil {
			return err
		}
		if len(ids) == 0 { // the table got no row
			continue
		}
		m.Exec(`UPDATE sqlite_sequence SET seq=? WHERE name=?`, m.top(table, ids), table)
	}
	stores, err := db.Values[int64](m.Rows(`SELECT id FROM store`))
	if err != nil {
		return err
	}
	for _, store := range stores {
		if err := m.times(store); err != nil {
			return err
		}
		if err := renumber(m, store); err != nil {
			return err
		}
	}
	// When the store's row is lost too, its history starts with the first change.
	m.Exec(`UPDATE store SET began=(SELECT count(*) FROM change WHERE store=store.id AND number=1 AND kind IN ('adopt','lost')) WHERE began IS NULL AND changes>0`)
	return m.Row(`SELECT (SELECT count(*) FROM change WHERE kind='lost'), (SELECT count(*) FROM version v JOIN actor a ON a.id=v.redacted_by WHERE a.kind='damage')`).
		Scan(&m.done.Changes, &m.done.Versions)
}

// times sets the times of lost changes to values between those of their neighbours.
func (m *rebuild) times(store int64) error {
	all, err := timesOf(m, store)
	if err != nil {
		return err
	}
	next := m.now
	first := slices.IndexFunc(all, func(c changeTime) bool { return c.ts != 0 })
	for i := range all {
		switch {
		case all[i].ts != 0:
			next = all[i].ts + 1
			continue
		case i < first:
			next = all[first].ts - int64(first-i)
		}
		m.Exec(`UPDATE change SET ts=?1, wall=?1 WHERE id=?2`, next, all[i].id)
		next++
	}
	return nil
}
