package tables

import (
	"database/sql"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/policy"
)

// HeldItem is what a held change does to one memory.
type HeldItem struct {
	Memory []byte        // its id
	Row    int64         // in the transaction that planned it
	There  bool          // it exists
	From   memfs.Path    // its path, if it exists
	Base   versions.Hash // its content, if it exists
	Path   memfs.Path    // its path afterwards
	Gone   bool          // it is deleted
	Text   []byte        // its content afterwards; nil: that of before
}

// SameItems reports whether a stored held change is what is held now.
func SameItems(a []StoredItem, b []HeldItem) bool {
	if len(a) != len(b) {
		return false
	}
	for i, it := range a {
		if it.Gone != b[i].Gone || it.Path != b[i].Path || string(it.Text) != string(b[i].Text) || (it.Text == nil) != (b[i].Text == nil) || it.Base.SHA256 != b[i].Base {
			return false
		}
	}
	return true
}

// StoredItem is an item of a held change as the trail has it.
type StoredItem struct {
	Memory []byte
	Base   planning.State // that it replaces; zero if there is none
	Path   memfs.Path
	Gone   bool
	Text   []byte
}

// HeldItems reads what a held change would write.
func HeldItems(q db.Queryer, held int64) ([]StoredItem, error) {
	var it StoredItem
	return db.All(q.Rows(`SELECT i.memory,i.path,i.path IS NULL,i.text,`+StateColumns+` FROM held_item i LEFT JOIN version v ON v.id=i.base LEFT JOIN blob b ON b.id=v.blob
		WHERE i.held=? ORDER BY i.n`, held), &it,
		append([]any{&it.Memory, PathTo(&it.Path), &it.Gone, ParsedTo(&it.Text, func(text []byte) ([]byte, error) { return versions.NonNil(text), nil })}, StateTo(&it.Base)...)...)
}

// Rejection reads why a held change was rejected; nil for number 0.
func Rejection(q db.Queryer, n int64) (*versions.Rejection, error) {
	if n == 0 {
		return nil, nil
	}
	r := &versions.Rejection{Number: n}
	return r, IgnoreNoRows(q.Row(`SELECT reason FROM held WHERE id=?`, n).Scan(&r.Reason))
}

// PassedOn returns what a reader of a memory takes in, if its writer had taken in in.
func PassedOn(in versions.Inputs) versions.Inputs {
	return (in.Direct() | in.SecondHand()) << versions.SecondHand
}

// InputsBefore selects the bits of a session's inputs. A WHERE clause follows.
const InputsBefore = `SELECT sum(kind) FROM input`

// InputsOf scans the answer to InputsBefore.
func InputsOf(row db.Row) (versions.Inputs, error) {
	var sum sql.NullInt64
	err := row.Scan(&sum)
	in := versions.Inputs(sum.Int64)
	return in &^ (in.Direct() << versions.SecondHand), err // what it took in itself counts
}

// PolicyText selects the text of the policy that holds for a session, NULL if nobody set one. Its parameters are the
// store and the session's id.
const PolicyText = `(SELECT text FROM (SELECT text,session FROM policy p WHERE store=?1 AND (session IS NULL OR session=(SELECT id FROM session WHERE uid=?2))
	AND id=(SELECT max(id) FROM policy WHERE store=?1 AND session IS p.session)) WHERE text IS NOT NULL ORDER BY session IS NULL LIMIT 1)`

// PolicyIn reads the policy for a session: its own, or else the store's.
func PolicyIn(q db.Queryer, store int64, session versions.SessionID) (p policy.Policy, err error) {
	err = q.Row(`SELECT `+PolicyText, store, string(session)).Scan(PolicyTo(&p))
	return p, err
}

// PolicyTo scans a policy. It is the zero Policy, which allows everything, if nobody set one.
func PolicyTo(p *policy.Policy) sql.Scanner {
	return ParsedTo(p, func(text string) (policy.Policy, error) {
		p, err := policy.Parse(text)
		if err != nil {
			err = errors.Join(versions.ErrDamaged, err)
		}
		return p, err
	})
}
