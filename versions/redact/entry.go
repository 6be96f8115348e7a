package redact

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Entry is a redaction in the journal: its receipt so far, the stage that it has reached, and the work that remains.
type Entry struct {
	versions.Receipt
	Todo     *Todo   `json:"todo,omitempty"`  // nil once the rows are erased
	Upstream []int64 `json:"there,omitempty"` // versions that the service of a hosted store still has to erase
	Stage    int     `json:"-"`
	held     []int64 // held changes that contain the text; found anew after a crash
}

// Todo is the remaining work of a redaction that has begun. It contains the given text
// until the commit that erases the rows deletes it.
type Todo struct {
	Versions   []int64             `json:"versions,omitempty"`
	Changes    []int64             `json:"changes,omitempty"` // whose rows contain a path to erase
	Memory     versions.MemoryID   `json:"memory,omitempty"`
	Match      []byte              `json:"match,omitempty"`
	IgnoreCase bool                `json:"ignore_case,omitempty"`
	Regexp     bool                `json:"regexp,omitempty"`
	AllStores  bool                `json:"all_stores,omitempty"`
	Heads      versions.HeadChoice `json:"heads,omitempty"` // what happens to memories that contain it
	Text       []byte              `json:"text,omitempty"`
	Newest     int64               `json:"newest,omitempty"` // newest version when the plan was made
	Drop       bool                `json:"drop,omitempty"`   // delete the store
	Remove     string              `json:"remove,omitempty"` // and remove its folder, which memend created
	Upstream   bool                `json:"there,omitempty"`  // the service of a hosted store must erase it too
}

// target is what the redaction was asked to erase; its versions are in Versions.
func (d *Todo) target() versions.RedactTarget {
	return versions.RedactTarget{Memory: d.Memory, Match: d.Match, IgnoreCase: d.IgnoreCase, Regexp: d.Regexp, AllStores: d.AllStores}
}

// encode writes an entry for the column receipt.
func encode(e Entry) string {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // only unsupported types fail
	}
	return string(b)
}

func decode(text string) (e Entry, err error) {
	err = json.Unmarshal([]byte(text), &e)
	e.LeftUpstream = len(e.Upstream)
	return e, err
}

// Start journals a redaction in a store with all its work.
func Start(x *core.Txn, by versions.By, e *Entry, stage int) (err error) {
	actor, session, err := x.Who(by)
	if err != nil {
		return err
	}
	e.Time = tables.FromMicros(x.TS)
	e.ID = x.Insert(`INSERT INTO redaction(store,actor,session,ts,versions,pending,receipt) VALUES(?,?,?,?,?,?,?)`,
		x.Store.Row, actor, session, x.TS, e.Versions, stage, encode(*e))
	return x.Err()
}

// Advance records what was done of a redaction, and the stage that it has reached.
func Advance(x core.TrailTxn, e Entry, stage int) {
	x.Exec(`UPDATE redaction SET change=coalesce((SELECT id FROM change WHERE store=redaction.store AND number=?),change), versions=?, pending=?, receipt=? WHERE id=?`,
		e.Change, e.Versions, stage, encode(e), e.ID)
}

// entriesWhere selects redactions. A condition follows.
const entriesWhere = `SELECT r.id,r.receipt,r.pending,r.ts,a.kind,a.name,coalesce(s.uid,'') FROM redaction r
	JOIN actor a ON a.id=r.actor LEFT JOIN session s ON s.id=r.session WHERE `

// columns are the destinations of the columns of entriesWhere.
func (e *Entry) columns() []any {
	var id int64
	return []any{&id, tables.ParsedTo(e, func(text string) (Entry, error) {
		decoded, err := decode(text)
		if err != nil {
			err = fmt.Errorf("%w: receipt %d: %v", versions.ErrDamaged, id, err)
		}
		decoded.ID = id
		return decoded, err
	}), &e.Stage, tables.TimeTo(&e.Time), &e.By.Kind, &e.By.Name, &e.Session}
}

// ByID reads one redaction.
func ByID(x core.TrailTxn, id int64) (e Entry, err error) {
	err = x.Row(entriesWhere+`r.id=?`, id).Scan(e.columns()...)
	return e, err
}

// Entries reads the redactions that a condition selects, oldest first.
func Entries(ctx context.Context, t *core.Trail, which string, args ...any) (out []Entry, err error) {
	var e Entry
	return db.All(db.On(ctx, t.DB.W).Rows(entriesWhere+which+` ORDER BY r.id`, args...), &e, e.columns()...)
}
