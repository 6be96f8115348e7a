package versions

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/planning"
)

// Rejected lines are remembered as hashes, salted with random bytes of the store, so that the trail
// doesn't keep the text for it. A redaction deletes the hashes of what it erases.

// minRejected is the length, in bytes, from which on a line is remembered. Shorter ones are too common.
const minRejected = 16

// rejectable returns the lines of a text in the form that is compared: without the indentation and
// list marks around the words, in lower case, with single blanks. Short lines are left out.
func rejectable(text []byte) map[string]bool {
	out := map[string]bool{}
	for line := range bytes.Lines(text) {
		s := strings.Join(strings.Fields(strings.ToLower(string(line))), " ")
		if s = strings.Trim(s, "-*+>#. "); len(s) >= minRejected {
			out[s] = true
		}
	}
	return out
}

// added returns the lines of a text that another does not have.
func added(after, before []byte) map[string]bool {
	lines := rejectable(after)
	for line := range rejectable(before) {
		delete(lines, line)
	}
	return lines
}

func saltedHash(salt []byte, line string) []byte {
	h := sha256.Sum256(append(append([]byte{}, salt...), line...))
	return h[:16]
}

// salt returns the store's salt; nil if it has none yet.
func (x *txn) salt() (salt []byte, err error) {
	err = x.Row(`SELECT salt FROM store WHERE id=?`, x.s.id).Scan(&salt)
	return salt, err
}

// rememberRejected remembers the lines that a held change would have added.
func (x *txn) rememberRejected(held int64) error {
	items, err := heldItems(x, held)
	if err != nil {
		return err
	}
	for _, it := range items {
		if it.text == nil {
			continue
		}
		before, err := textUnlessErased(x, it.base)
		if err != nil {
			return err
		}
		if err := x.reject(added(it.text, before), held); err != nil {
			return err
		}
	}
	return nil
}

// RejectUndone is Reject for changes that were made before, and that the change undo has undone. The lines that the
// undo removed are remembered, and each session that had made one of the changes is told the reason with its next
// change. It returns the numbers of the decisions, one for each session, and none if undo undid nothing. Only a person
// may reject.
func (s *Store) RejectUndone(ctx context.Context, by By, undo int64, reason string) (numbers []int64, err error) {
	err = s.asPerson(ctx, by, fmt.Sprintf("reject what change %d undid", undo), func(x *txn) error {
		removed, err := x.removedBy(undo)
		if err != nil {
			return err
		}
		rows, err := db.Values[int64](x.Rows(`SELECT max(c.id)`+changeTables+`WHERE c.store=? AND c.undone_by=? GROUP BY a.id,s.id ORDER BY max(c.id)`, s.id, undo))
		if err != nil {
			return err
		}
		for _, change := range rows {
			n, err := x.Insert(`INSERT INTO held(store,kind,path,dest,actor,session,tool_use,turn,door,inputs,rule,ts)
				SELECT c.store,c.kind,c.path,c.dest,a.id,s.id,`+callOf+`,`+turnOf+`,coalesce(c.door,0),c.inputs,'',c.ts`+changeTables+`WHERE c.id=?`, change)
			if err == nil {
				err = x.decided(n, HeldRejected, by, undo, reason)
			}
			if err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
		if len(numbers) == 0 {
			return nil
		}
		return x.reject(removed, numbers[len(numbers)-1])
	})
	return numbers, err
}

// removedBy returns the lines that a change removed from the memories that it wrote.
func (x *txn) removedBy(change int64) (map[string]bool, error) {
	type pair struct{ before, after int64 }
	var p pair
	pairs, err := db.All(x.Rows(`SELECT coalesce((SELECT blob FROM version WHERE memory=v.memory AND number=v.number-1),0),coalesce(v.blob,0)
		FROM version v JOIN change c ON c.id=v.change WHERE c.store=? AND c.number=?`, x.s.id, change), &p, &p.before, &p.after)
	if err != nil {
		return nil, err
	}
	text := func(blob int64) ([]byte, error) {
		if blob == 0 {
			return nil, nil
		}
		b, err := blobs.Get(x, blob)
		if errors.Is(err, ErrDamaged) {
			return nil, nil
		}
		return b, err
	}
	removed := map[string]bool{}
	for _, p := range pairs {
		before, err := text(p.before)
		if err != nil {
			return nil, err
		}
		after, err := text(p.after)
		if err != nil {
			return nil, err
		}
		maps.Copy(removed, added(before, after))
	}
	return removed, nil
}

// rejectedSince tells a session which of its held changes were rejected since it did something last, in words for the
// model; empty if none was. A held change is answered before anybody decides, so the reason has to come later.
func (s *Store) rejectedSince(ctx context.Context, session SessionID) (text string, err error) {
	if session == "" {
		return "", nil
	}
	var number int64
	var at memfs.Path
	var reason string
	rows := s.t.db.Rows(ctx, `SELECT h.id,h.path,h.reason FROM held h JOIN session n ON n.id=h.session
		WHERE n.uid=? AND h.store=? AND h.state='rejected' AND h.decided>n.seen ORDER BY h.id`, string(session), s.id)
	for range rows.Each(&number, pathTo(&at), &reason) {
		text += fmt.Sprintf("\nA person rejected your change of %s (#%d). Do not make it again.", at.Tool(), number)
		if reason != "" {
			text += " The reason: " + reason
		}
	}
	return text, rows.Err()
}

// textUnlessErased reads the text of a state; nil if it was redacted.
func textUnlessErased(x *txn, s planning.State) ([]byte, error) {
	if s.Redacted {
		return nil, nil
	}
	b, err := textOf(x, s)
	if errors.Is(err, ErrRedacted) || errors.Is(err, ErrDamaged) {
		return nil, nil
	}
	return b, err
}

func (x *txn) reject(lines map[string]bool, held int64) error {
	if len(lines) == 0 {
		return nil
	}
	salt, err := x.salt()
	if err != nil {
		return err
	}
	if salt == nil {
		salt = make([]byte, 16)
		_, _ = rand.Read(salt) // it never fails
		if err := x.Exec(`UPDATE store SET salt=? WHERE id=?`, salt, x.s.id); err != nil {
			return err
		}
	}
	for line := range lines {
		if err := x.Exec(`INSERT OR REPLACE INTO rejected(store,hash,held) VALUES(?,?,?)`, x.s.id, saltedHash(salt, line), held); err != nil {
			return err
		}
	}
	return nil
}

// bringsBack returns the held change whose rejected lines the mutation brings back; 0 if it brings
// back none.
func (d *mutation) bringsBack(salt []byte) (held int64, err error) {
	if salt == nil {
		return 0, nil
	}
	for _, v := range d.versions {
		if v.op == Deleted || v.blob == 0 {
			continue
		}
		before, after, err := d.texts(&v)
		if err != nil {
			return 0, err
		}
		for line := range added(after, before) {
			var by int64
			err := d.x.Row(`SELECT held FROM rejected WHERE store=? AND hash=?`, d.x.s.id, saltedHash(salt, line)).Scan(&by)
			if err == nil {
				held = max(held, by)
			} else if !errors.Is(err, sql.ErrNoRows) {
				return 0, err
			}
		}
	}
	return held, nil
}
