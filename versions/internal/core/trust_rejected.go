package core

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
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// Rejected lines are remembered as hashes, salted with random bytes of the store, so that the trail
// doesn't keep the text for it. A redaction deletes the hashes of what it erases.

// MinRejected is the length, in bytes, from which on a line is remembered. Shorter ones are too common.
const MinRejected = 16

// rejectable returns the lines of a text in the form that is compared: without the indentation and
// list marks around the words, in lower case, with single blanks. Short lines are left out.
func rejectable(text []byte) map[string]bool {
	out := map[string]bool{}
	for line := range bytes.Lines(text) {
		s := strings.Join(strings.Fields(strings.ToLower(string(line))), " ")
		if s = strings.Trim(s, "-*+>#. "); len(s) >= MinRejected {
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
func (x *Txn) salt() (salt []byte, err error) {
	err = x.Row(`SELECT salt FROM store WHERE id=?`, x.Store.Row).Scan(&salt)
	return salt, err
}

// RememberRejected remembers the lines that a held change would have added.
func (x *Txn) RememberRejected(held int64) error {
	items, err := tables.HeldItems(x, held)
	if err != nil {
		return err
	}
	for _, it := range items {
		if it.Text == nil {
			continue
		}
		before, err := textUnlessErased(x, it.Base)
		if err != nil {
			return err
		}
		if err := x.Reject(added(it.Text, before), held); err != nil {
			return err
		}
	}
	return nil
}

// RemovedBy returns the lines that a change removed from the memories that it wrote.
func (x *Txn) RemovedBy(change int64) (map[string]bool, error) {
	type pair struct{ before, after int64 }
	var p pair
	pairs, err := db.All(x.Rows(`SELECT coalesce((SELECT blob FROM version WHERE memory=v.memory AND number=v.number-1),0),coalesce(v.blob,0)
		FROM version v JOIN change c ON c.id=v.change WHERE c.store=? AND c.number=?`, x.Store.Row, change), &p, &p.before, &p.after)
	if err != nil {
		return nil, err
	}
	text := func(blob int64) ([]byte, error) {
		if blob == 0 {
			return nil, nil
		}
		b, err := blobs.Get(x, blob)
		if errors.Is(err, versions.ErrDamaged) {
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
func (s *Store) rejectedSince(ctx context.Context, session versions.SessionID) (text string, err error) {
	if session == "" {
		return "", nil
	}
	var number int64
	var at memfs.Path
	var reason string
	rows := s.Trail.DB.Rows(ctx, `SELECT h.id,h.path,h.reason FROM held h JOIN session n ON n.id=h.session
		WHERE n.uid=? AND h.store=? AND h.state='rejected' AND h.decided>n.seen ORDER BY h.id`, string(session), s.Row)
	for range rows.Each(&number, tables.PathTo(&at), &reason) {
		text += fmt.Sprintf("\nA person rejected your change of %s (#%d). Do not make it again.", at.Tool(), number)
		if reason != "" {
			text += " The reason: " + reason
		}
	}
	return text, rows.Err()
}

// textUnlessErased reads the text of a state; nil if it was redacted.
func textUnlessErased(x *Txn, s planning.State) ([]byte, error) {
	if s.Redacted {
		return nil, nil
	}
	b, err := tables.TextOf(x, s)
	if errors.Is(err, versions.ErrRedacted) || errors.Is(err, versions.ErrDamaged) {
		return nil, nil
	}
	return b, err
}

// Reject remembers lines, as salted hashes, of a held change that was rejected.
func (x *Txn) Reject(lines map[string]bool, held int64) error {
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
		x.Exec(`UPDATE store SET salt=? WHERE id=?`, salt, x.Store.Row)
	}
	for line := range lines {
		x.Exec(`INSERT OR REPLACE INTO rejected(store,hash,held) VALUES(?,?,?)`, x.Store.Row, saltedHash(salt, line), held)
	}
	return nil
}

// bringsBack returns the held change whose rejected lines the mutation brings back; 0 if it brings
// back none.
func (d *Mutation) bringsBack(salt []byte) (held int64, err error) {
	if salt == nil {
		return 0, nil
	}
	for _, v := range d.Versions {
		if v.Op == versions.Deleted || v.Blob == 0 {
			continue
		}
		before, after, err := d.texts(&v)
		if err != nil {
			return 0, err
		}
		for line := range added(after, before) {
			var by int64
			err := d.Txn.Row(`SELECT held FROM rejected WHERE store=? AND hash=?`, d.Txn.Store.Row, saltedHash(salt, line)).Scan(&by)
			if err == nil {
				held = max(held, by)
			} else if !errors.Is(err, sql.ErrNoRows) {
				return 0, err
			}
		}
	}
	return held, nil
}

// ForgetRejectedIn deletes the hashes of the lines of a text, in one store or, if it is 0, in all.
func (x TrailTxn) ForgetRejectedIn(store int64, text []byte) error {
	salts, err := db.Map[int64, []byte](x.Rows(`SELECT id,salt FROM store WHERE salt IS NOT NULL AND (id=?1 OR ?1=0)`, store))
	if err != nil {
		return err
	}
	for id, salt := range salts {
		for line := range rejectable(text) {
			x.Exec(`DELETE FROM rejected WHERE store=? AND hash=?`, id, saltedHash(salt, line))
		}
	}
	return nil
}
