package journal

import (
	"bytes"
	"fmt"

	"github.com/memend/memend/versions/blobs"
)

// Replay writes the rows of every noun whose newest record says something else than the tables. It returns how
// many nouns there were. Rows that no record has stay, and so do those whose record is damaged. The caller rebuilds the heads.
func Replay(x Tx) (n int, err error) {
	if err := x.Exec(`PRAGMA defer_foreign_keys=ON`); err != nil {
		return 0, err
	}
	removals, err := removedStores(x)
	if err != nil {
		return 0, err
	}
	var again []record
	err = compare(x, removals, func(k Kind, r *record, s *state) error {
		if r == nil || r.was != nil || !r.sound {
			return nil
		}
		again = append(again, *r)
		return byKind(k).clear(x, r.state())
	})
	if err != nil || len(again) == 0 {
		return 0, err
	}
	for _, r := range again {
		if err := byKind(r.kind).write(x, r.state()); err != nil {
			return 0, err
		}
	}
	return len(again), follow(x)
}

// clear makes room for what a record says: two nouns may have the other's ids.
func (n *noun) clear(x Tx, s state) error {
	rows, err := s.rows(n)
	if err != nil {
		return err
	}
	for i := len(n.tables) - 1; i >= 0; i-- {
		t := n.tables[i]
		switch {
		case t.only:
			continue
		case t.upsert == "":
			if err := x.Exec(`DELETE FROM `+t.name+` WHERE `+bare(t.noun)+`=?`, s.id); err != nil {
				return err
			}
			continue
		case i >= len(rows):
			continue
		}
		for _, row := range rows[i] {
			id := s.id
			if own, ok := row[0].(int64); ok && bare(t.noun) != "id" {
				id = own
			}
			for _, c := range t.unique {
				if err := x.Exec(`UPDATE `+t.name+` SET `+c+`=hex(randomblob(16)) WHERE id=?`, id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// write writes the rows of a noun.
func (n *noun) write(x Tx, s state) error {
	rows, err := s.rows(n)
	if err != nil {
		return err
	}
	for i, t := range n.tables {
		if i == len(rows) {
			break
		}
		for _, row := range rows[i] {
			if sha, ok := row[len(row)-1].([]byte); ok && t.name == "version" { // a repair finds that it is lost, or in a file
				if err := x.Exec(`INSERT INTO blob(sha,size,enc,data) SELECT ?1,0,?2,x'' WHERE NOT EXISTS(SELECT 1 FROM blob WHERE sha=?1)`, sha, blobs.Lost); err != nil {
					return err
				}
			}
			if err := x.Exec(t.write(), append([]any{s.id}, row...)...); err != nil {
				return fmt.Errorf("%s %d: %w", n.name, s.id, err)
			}
		}
	}
	return nil
}

// follow writes the columns that follow from others.
func follow(x Tx) error {
	for _, q := range []string{
		`UPDATE change SET versions=(SELECT count(*) FROM version WHERE change=change.id) WHERE versions<>(SELECT count(*) FROM version WHERE change=change.id)`,
		`UPDATE store SET changes=(SELECT coalesce(max(number),0) FROM change WHERE store=store.id) WHERE changes<>(SELECT coalesce(max(number),0) FROM change WHERE store=store.id)`,
		`UPDATE store SET updated=created WHERE updated=0`,
		`UPDATE store SET used=updated WHERE used=0`,
		`UPDATE session SET (started,seen)=(SELECT coalesce(min(ts),0),coalesce(max(ts),0) FROM change WHERE session=session.id) WHERE started=0`,
	} {
		if err := x.Exec(q); err != nil {
			return err
		}
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
	removals, err := removedStores(x)
	if err != nil {
		return err
	}
	var changed []record
	if err := compare(x, removals, func(k Kind, r *record, s *state) error {
		changed = append(changed, record{kind: k, id: firstID(r, s)})
		return nil
	}); err != nil {
		return err
	}
	if from == 0 && len(changed) == 0 {
		return nil
	}
	for _, r := range changed {
		if err := l.note(r.kind, r.id, false, now); err != nil {
			return err
		}
	}
	return l.append(&record{kind: Repair, id: from, ts: now, head: appendValue(nil, from)})
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
			if r.n == n && bytes.Equal(r.hash, r.chained(before)) && (r.was == nil || r.secret == nil) {
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
		if err := x.Exec(`UPDATE log SET n=?,hash=?,was=iif(secret IS NULL,was,NULL) WHERE n=?`, c.n, c.hash, c.row); err != nil {
			return 0, err
		}
	}
	return from, nil
}
