package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Outcome is what can be said of erased bytes.
type Outcome string

const (
	OutcomeGone    Outcome = "gone"        // every file was searched, and nothing of them was found
	OutcomeStillIn Outcome = "still_in"    // something was found; Receipt.Found says where
	OutcomePending Outcome = "pending"     // a reader holds the database's log; whoever opens or writes next tries again
	OutcomeUnknown Outcome = "cannot_tell" // Receipt.Unknown says why
)

// Beyond is what no receipt can speak for: it is part of each.
const Beyond = "memtrail searches its own home and the folders of the stores concerned. Copies elsewhere are yours to look after: backups and snapshots, " +
	"version control, what editors and agents keep, and blocks that the disk has given up but not yet cleared (TRIM)."

// Receipt says what a redaction erased, and what was found when it was searched
// for afterwards. It holds nothing of what was erased.
type Receipt struct {
	ID           int64     `json:"id"`
	Store        StoreID   `json:"memory_store_id"`
	Name         string    `json:"store"` // the store's
	By           Actor     `json:"-"`
	Session      SessionID `json:"session_id,omitempty"`
	Time         time.Time `json:"-"`
	Versions     int       `json:"versions"`                    // that were erased
	Deletions    int       `json:"deletions,omitempty"`         // of these, those that Change made: they told the path
	Change       int64     `json:"change,omitempty"`            // that took the text out of memories that stand; 0 when none had it
	ErasedThere  int       `json:"upstream_redacted,omitempty"` // of a hosted store: versions that its service says it has erased
	DroppedThere int       `json:"upstream_gone,omitempty"`     // and that it no longer had

	Drafts  int        `json:"drafts,omitempty"` // unsaved texts that held it and went
	Masked  int        `json:"masked,omitempty"` // texts in conversations with agents that held it
	Outcome Outcome    `json:"outcome"`
	Found   []Holding  `json:"found,omitempty"`
	More    int        `json:"found_more,omitempty"` // holdings that are not listed
	Unknown []string   `json:"unknown,omitempty"`    // what can't be told, and why
	Windows int        `json:"windows"`              // pieces that were looked for
	Run     int        `json:"run"`                  // a surviving piece of so many bytes is found for certain
	Files   int        `json:"files"`                // searched
	Bytes   int64      `json:"bytes"`                // in them
	Folder  FolderFate `json:"folder,omitempty"`     // of a store that was deleted
	todo    todo
}

// FolderFate is what became of the folder of a deleted store.
type FolderFate string

const (
	FolderRemoved FolderFate = "removed"   // memtrail had made it
	FolderLeft    FolderFate = "untouched" // it is not memtrail's; its memories are in it as before
)

// Holding is something that holds erased bytes still, or again.
type Holding struct {
	Version VersionID `json:"memory_version_id,omitempty"` // that was not part of the redaction
	Store   string    `json:"store,omitempty"`             // its store, or that of the memory
	Path    string    `json:"path,omitempty"`              // of the version or the memory
	Live    bool      `json:"live,omitempty"`              // the memory holds them as it stands
	File    string    `json:"file,omitempty"`              // on this machine
	Windows int       `json:"windows"`                     // pieces found there
	All     bool      `json:"same_content,omitempty"`      // it has the whole content
}

// maxHoldings is how many a receipt lists.
const maxHoldings = 50

func (r *Receipt) hold(h Holding) {
	if len(r.Found) >= maxHoldings {
		r.More++
		return
	}
	r.Found = append(r.Found, h)
}

// todo is what a redaction that was begun has yet to do. It holds row numbers
// and, of a folder of ours, its name: nothing of what is to be erased.
type todo struct {
	Versions []int64 `json:"versions,omitempty"`
	Changes  []int64 `json:"changes,omitempty"` // whose rows tell a path that is to go
	Remove   string  `json:"remove,omitempty"`  // the folder of a deleted store
}

// How far a redaction is, in the column pending.
const (
	stageDone    = 0 // the database's log was emptied after the erasing
	stageCleared = 1 // the log may still hold what was erased
	stageErased  = 2 // the database too, where no row is
	stageStarted = 3 // memories that stand were seen to; the rest is in todo
)

// receiptRow is what the column receipt holds.
type receiptRow struct {
	Receipt
	Todo *todo `json:"todo,omitempty"`
}

func (r Receipt) encode() string {
	row := receiptRow{Receipt: r}
	if r.todo.Versions != nil || r.todo.Changes != nil || r.todo.Remove != "" {
		row.Todo = &r.todo
	}
	b, err := json.Marshal(row)
	if err != nil {
		panic(err) // only for types that JSON has no word for
	}
	return string(b)
}

func decodeReceipt(text string) (Receipt, error) {
	var row receiptRow
	err := json.Unmarshal([]byte(text), &row)
	if row.Todo != nil {
		row.todo = *row.Todo
	}
	return row.Receipt, err
}

// Receipts lists the redactions of this home, the newest first, those of deleted
// stores too.
func (t *Trail) Receipts(ctx context.Context) ([]Receipt, error) {
	rows, err := t.query(ctx, `SELECT r.id,r.receipt,r.pending,r.ts,a.kind,a.name,coalesce(s.uid,'') FROM redaction r
		JOIN actor a ON a.id=r.actor LEFT JOIN session s ON s.id=r.session ORDER BY r.id DESC`)
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = rows.Close() }()
	var out []Receipt
	for rows.Next() {
		var id, ts int64
		var text string
		var stage int
		var a Actor
		var session SessionID
		if err := rows.Scan(&id, &text, &stage, &ts, &a.Kind, &a.Name, &session); err != nil {
			return nil, err
		}
		r, err := decodeReceipt(text)
		if err != nil {
			return nil, fmt.Errorf("%w: receipt %d: %v", ErrDamaged, id, err)
		}
		r.ID, r.By, r.Session, r.Time = id, a, session, fromMicros(ts)
		switch {
		case stage != stageDone:
			r.Outcome = OutcomePending
		case r.Outcome == OutcomePending: // finished by one who did not know what to look for
			r.Outcome = OutcomeUnknown
			r.Unknown = append(r.Unknown, "the erasing was finished later, when the text was known no longer: no file was searched for it")
		}
		out = append(out, r)
	}
	return out, diskError(rows.Err())
}
