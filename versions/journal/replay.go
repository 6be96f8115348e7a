package journal

import (
	"fmt"
	"slices"

	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
)

// Replay writes the rows of every noun whose newest record says something else than the tables. It returns how
// many nouns there were. Rows that no record has stay, and so do those whose record is damaged. The caller rebuilds the heads.
// progress may be called often, with how many of these nouns are written.
func Replay(x Tx, progress func(done, total int)) (n int, err error) {
	var cache int64
	if err := x.Row(`PRAGMA cache_size`).Scan(&cache); err != nil {
		return 0, err
	}
	defer x.Exec(fmt.Sprintf(`PRAGMA cache_size=%d`, cache))
	x.Exec(`PRAGMA defer_foreign_keys=ON`)
	x.Exec(replayCache)
	var again [len(nouns)]redo
	w := &walk{q: x, differ: func(k Kind, r *record, s *state) error {
		if r != nil && r.sound {
			again[k-1].add(r.n, r.id)
			n++
		}
		return nil
	}}
	if err := w.run(); err != nil {
		return 0, err
	}
	done := 0
	for i, r := range again {
		if err := r.rewrite(x, nouns[i], func(some int) { progress(done+some, n) }); err != nil {
			return 0, err
		}
		done += len(r.records)
	}
	for _, step := range []func(Tx) error{number, lost, follow} {
		if err := step(x); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// replayCache lets a replay keep 256 MiB of pages in memory: random ids make it write all over the indexes.
const replayCache = `PRAGMA cache_size=-262144`

// redo lists records of a kind whose nouns are to be written again, and the nouns.
type redo struct{ records, ids []int64 }

func (r *redo) add(record, id int64) { r.records, r.ids = append(r.records, record), append(r.ids, id) }

// rewrite removes all rows before it writes any, because a row may have what belongs to another now.
func (r *redo) rewrite(x Tx, n *noun, written func(int)) error {
	if len(r.records) == 0 {
		return nil
	}
	var lack bool
	err := x.Row(`SELECT EXISTS(SELECT 1 FROM version v WHERE blob IS NOT NULL AND NOT EXISTS(SELECT 1 FROM blob WHERE id=v.blob))`).Scan(&lack)
	if err == nil && lack && n.kind == Change {
		err = r.each(x, n, one(x, n, addContents), func(int) {})
	}
	if err != nil {
		return err
	}
	err = r.anew(x, n, written)
	if err != nil { // two nouns may have each other's ids or numbers
		if err := r.each(x, n, one(x, n, (*noun).free), func(int) {}); err != nil {
			return err
		}
		err = r.anew(x, n, written)
	}
	return err
}

func (r *redo) anew(x Tx, n *noun, written func(int)) error {
	for _, id := range r.ids {
		n.remove(x, id)
	}
	return r.each(x, n, func(all []state) error { return n.write(x, all) }, written)
}

// each reads the records and calls do for many at once. done is told for how many it has been called.
func (r *redo) each(x Tx, n *noun, do func([]state) error, done func(int)) error {
	called := 0
	for some := range slices.Chunk(r.records, atOnce) {
		var all []state
		var at int64
		var s state
		rows := x.Rows(`SELECT n,id,head,substr(secret,?) FROM log WHERE n BETWEEN ? AND ? AND kind=?`, saltBytes+1, some[0], some[len(some)-1], int64(n.kind))
		for range rows.Each(&at, &s.id, &s.head, &s.secret) {
			if _, wanted := slices.BinarySearch(some, at); wanted {
				all = append(all, s)
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if err := do(all); err != nil {
			return err
		}
		called += len(some)
		done(called)
	}
	return nil
}

// one makes of what is done for one noun what is done for many.
func one(x Tx, n *noun, do func(*noun, Tx, state) error) func([]state) error {
	return func(all []state) error {
		for _, s := range all {
			if err := do(n, x, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// lost writes the versions again whose content is missing, with one that is known to be lost. A repair may find it in a file.
func lost(x Tx) error {
	var again redo
	var n, id int64
	rows := x.Rows(`SELECT DISTINCT c.record,c.id FROM version v JOIN change c ON c.id=v.change JOIN log l ON l.n=c.record WHERE v.blob IS NULL AND v.op<>'deleted' AND v.redacted IS NULL ORDER BY 1`)
	for range rows.Each(&n, &id) {
		again.add(n, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return again.rewrite(x, byKind(Change), func(int) {})
}

// addContents adds the contents of the versions of a change that are missing: under the row ids that the versions still name,
// because the chunks of a large one may be there.
func addContents(n *noun, x Tx, s state) error {
	rows, err := s.rows(n)
	if err != nil || n.kind != Change {
		return err
	}
	for _, row := range rows[len(rows)-1] {
		sha, ok := row[len(row)-1].([]byte)
		if !ok {
			continue
		}
		x.Exec(`INSERT INTO blob(id,sha,size,enc,data) SELECT blob,?2,0,iif(EXISTS(SELECT 1 FROM blob_chunk c WHERE c.blob=v.blob),2,?3),x'' FROM version v
			WHERE id=?1 AND NOT EXISTS(SELECT 1 FROM blob WHERE id=v.blob OR sha=?2)`, row[0], sha, blobs.Lost)
	}
	return nil
}

// number writes the numbers of the newest records into the changes.
func number(x Tx) error {
	x.Exec(`UPDATE change SET record=l.n FROM log l WHERE l.kind=4 AND l.id=change.id AND l.secret IS NOT NULL AND record IS NOT l.n`)
	return x.Err()
}

// remove removes the rows of a noun that nothing else refers to.
func (n *noun) remove(x Tx, id int64) {
	for _, t := range slices.Backward(n.tables) {
		if t.upsert != "" || t.only {
			continue
		}
		x.Exec(`DELETE FROM `+t.name+` WHERE `+bare(t.noun)+`=?`, id)
	}
}

// free gives the rows of a noun that remove leaves other ids and numbers for now. The rows of memories begin with their own id.
func (n *noun) free(x Tx, s state) error {
	rows, err := s.rows(n)
	if err != nil {
		return err
	}
	for i, t := range n.tables[:len(rows)] {
		for _, row := range rows[i] {
			id := s.id
			if own, ok := row[0].(int64); ok && bare(t.noun) != "id" {
				id = own
			}
			for _, c := range t.unique {
				x.Exec(`UPDATE `+t.name+` SET `+c+`=hex(randomblob(16)) WHERE id=?`, id)
			}
		}
	}
	return nil
}

// write writes the rows of nouns, table by table: what a later one says may follow from an earlier one.
func (n *noun) write(x Tx, all []state) error {
	args := make([][]any, len(n.tables))
	for _, s := range all {
		rows, err := s.rows(n)
		if err != nil {
			return err
		}
		for i := range rows {
			for _, row := range rows[i] {
				args[i] = append(append(args[i], s.id), row...)
			}
		}
	}
	for i, t := range n.tables {
		for left := args[i]; len(left) > 0; {
			text, size := t.writesMany(), manyRows*t.width()
			if t.only || len(left) < size {
				text, size = t.writes(), t.width()
			}
			if err := x.Try(text, left[:size]...); err != nil {
				return fmt.Errorf("%s: %w", n.name, err)
			}
			left = left[size:]
		}
	}
	return nil
}

// follow writes the columns that follow from others. How many changes a store had is more than a damaged trail may have.
func follow(x Tx) error {
	for _, q := range []string{
		`UPDATE change SET versions=(SELECT count(*) FROM version WHERE change=change.id) WHERE versions<>(SELECT count(*) FROM version WHERE change=change.id)`,
		`UPDATE store SET updated=created WHERE updated=0`,
		`UPDATE store SET used=updated WHERE used=0`,
		`UPDATE session SET (started,seen)=(SELECT coalesce(min(ts),0),coalesce(max(ts),0) FROM change WHERE session=session.id) WHERE started=0`,
	} {
		x.Exec(q)
	}
	return nil
}

// Restart makes the log whole after a repair: it numbers the records again and computes the hashes from the first one that
// does not fit, and appends a record for each noun whose rows are not as the newest one says. A record of the repair
// says so.
func Restart(x Tx, now int64) error {
	from, err := rechain(x)
	if err != nil {
		return err
	}
	l, err := opened(x)
	if err != nil {
		return err
	}
	var changed []db.Touched
	w := &walk{q: x, differ: func(k Kind, r *record, s *state) error {
		t := db.Touched{Kind: int64(k), Row: firstID(r, s)}
		if r != nil {
			t.Note = r.n
		}
		changed = append(changed, t)
		return nil
	}}
	if err := w.run(); err != nil {
		return err
	}
	if from == 0 && len(changed) == 0 {
		return nil
	}
	for _, t := range changed {
		at, err := statesAt(x, Kind(t.Kind), []int64{t.Row})
		if err != nil {
			return err
		}
		if err := l.note(t, at[t.Row], now); err != nil {
			return err
		}
	}
	l.append(&record{kind: Repair, id: from, ts: now, head: appendValue(nil, from)})
	return x.Err()
}

// rechain numbers the records again, and computes the hashes from the first that does not fit. It returns the number of
// that one, 0 if all fit.
func rechain(x Tx) (from int64, err error) {
	var n int64
	var hash []byte
	type change struct {
		row, n int64
		hash   []byte
	}
	var changes []change
	if err := eachRecord(x, func(r *record, before []byte) error {
		n++
		row := r.n
		if from == 0 {
			if r.n == n && r.fits(before) {
				return nil
			}
			from, hash = n, before
		}
		if r.secret != nil {
			r.was = nil
		}
		r.n = n
		hash = r.chained(hash)
		changes = append(changes, change{row, n, hash})
		return nil
	}); err != nil {
		return 0, err
	}
	for _, c := range changes { // a number never rises, so that it is free
		x.Exec(`UPDATE log SET n=?,hash=?,was=iif(secret IS NULL,was,NULL) WHERE n=?`, c.n, c.hash, c.row)
	}
	if from == 0 {
		return 0, nil
	}
	return from, number(x)
}
