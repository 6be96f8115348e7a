package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/memend/memend/versions/ids"
)

// Outcome is what can be said of erased bytes.
type Outcome string

const (
	OutcomeGone    Outcome = "gone"        // every file was searched, and nothing of them was found
	OutcomeStillIn Outcome = "still_in"    // something was found; Receipt.Found says where
	OutcomePending Outcome = "pending"     // a reader holds the database's log, or a service has not erased its part: Receipt.LeftThere
	OutcomeUnknown Outcome = "cannot_tell" // Receipt.Unknown says why
)

// Beyond is what no receipt can speak for: it is part of each.
const Beyond = "memend searches its own home and the folders of the stores concerned. It can't search copies elsewhere: exports, backups and snapshots, " +
	"version control, what editors and agents keep, and freed disk blocks that are not cleared yet (TRIM)."

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
	LeftThere    int       `json:"upstream_left,omitempty"`     // and that it has yet to erase: the next Pull asks it to
	WhyThere     string    `json:"upstream_error,omitempty"`    // why it did not

	Drafts  int         `json:"drafts,omitempty"`        // unsaved texts that held it and went
	Copies  int         `json:"editor_copies,omitempty"` // copies for editors that held it and went
	Masked  int         `json:"masked,omitempty"`        // texts in conversations with agents that held it
	Places  []TextPlace `json:"places,omitempty"`        // texts in the trail that held it and were masked: descriptions, names
	Parts   []Part      `json:"stores,omitempty"`        // the stores concerned, when they are more than one
	Outcome Outcome     `json:"outcome"`
	Found   []Holding   `json:"found,omitempty"`
	More    int         `json:"found_more,omitempty"`    // holdings that are not listed
	Unknown []string    `json:"unknown,omitempty"`       // what can't be told, and why
	Short   int         `json:"too_short,omitempty"`     // texts too short or too plain to look for pieces of them: as a whole they were looked for
	Windows int         `json:"windows"`                 // fragments that were looked for
	Seen    int         `json:"windows_found,omitempty"` // of these, somewhere
	Run     int         `json:"run"`                     // a surviving piece of so many bytes is found for certain
	Files   int         `json:"files"`                   // searched
	Bytes   int64       `json:"bytes"`                   // in them
	Folder  FolderFate  `json:"folder,omitempty"`        // of a store that was deleted
	todo    *todo
	there   []int64 // versions that the service of a hosted store has yet to erase
}

// Part is what a redaction erased in one of several stores.
type Part struct {
	ID        int64   `json:"id"` // its receipt
	Store     StoreID `json:"memory_store_id"`
	Name      string  `json:"store"`
	Versions  int     `json:"versions"`
	Deletions int     `json:"deletions,omitempty"`
	Change    int64   `json:"change,omitempty"`
}

// FolderFate is what became of the folder of a deleted store.
type FolderFate string

const (
	FolderRemoved FolderFate = "removed"   // memend had made it
	FolderLeft    FolderFate = "untouched" // it is not memend's; its memories are in it as before
)

// Holding is something that holds erased bytes still, or again.
type Holding struct {
	Version VersionID `json:"memory_version_id,omitempty"` // that was not part of the redaction
	Store   string    `json:"store,omitempty"`             // its store, or that of the memory
	Path    string    `json:"path,omitempty"`              // of the version or the memory
	Live    bool      `json:"live,omitempty"`              // the memory holds them as it stands
	File    string    `json:"file,omitempty"`              // on this machine
	Place   string    `json:"place,omitempty"`             // in the trail: "description of store notes"
	Windows int       `json:"windows"`                     // fragments found there
	Matches int       `json:"matches,omitempty"`           // occurrences of the text that was named
	All     bool      `json:"same_content,omitempty"`      // it has the whole content
}

// maxHoldings is how many a receipt lists.
const maxHoldings = 50

func (r *Receipt) add(h Holding) {
	if len(r.Found) >= maxHoldings {
		r.More++
		return
	}
	r.Found = append(r.Found, h)
}

// todo is what a redaction that was begun has yet to do. With the commit that erases,
// it is erased itself: until then it holds the text that somebody named.
type todo struct {
	Versions   []int64    `json:"versions,omitempty"`
	Changes    []int64    `json:"changes,omitempty"` // whose rows tell a path that is to go
	Memory     MemoryID   `json:"memory,omitempty"`
	Match      []byte     `json:"match,omitempty"`
	IgnoreCase bool       `json:"ignore_case,omitempty"`
	Regexp     bool       `json:"regexp,omitempty"`
	AllStores  bool       `json:"all_stores,omitempty"`
	Heads      HeadChoice `json:"heads,omitempty"` // what becomes of memories that hold it
	Text       []byte     `json:"text,omitempty"`
	Newest     int64      `json:"newest,omitempty"` // version there was when it was planned
	Drop       bool       `json:"drop,omitempty"`   // the store is deleted
	Remove     string     `json:"remove,omitempty"` // and its folder, which is ours
	There      bool       `json:"there,omitempty"`  // the service of a hosted store erases it too
}

func (d *todo) target() RedactTarget {
	return RedactTarget{Memory: d.Memory, Match: d.Match, IgnoreCase: d.IgnoreCase, Regexp: d.Regexp, AllStores: d.AllStores}
}

// How far a redaction is, in the column pending. Each stage is in the trail before what
// leads to the next is begun.
const (
	stageThere   = -1 // this home is done; the service of a hosted store is not
	stageDone    = 0  // the database's log was emptied after the erasing
	stageCleared = 1  // the log may still hold what was erased
	stageErased  = 2  // the database too, where no row is
	stageStarted = 3  // current memories don't hold it any more; the rest is in todo
	stagePlanned = 4  // nothing is done yet
)

// receiptRow is what the column receipt holds.
type receiptRow struct {
	Receipt
	Todo  *todo   `json:"todo,omitempty"`
	There []int64 `json:"there,omitempty"`
}

func (r Receipt) encode() string {
	b, err := json.Marshal(receiptRow{Receipt: r, Todo: r.todo, There: r.there})
	if err != nil {
		panic(err) // only for types that JSON has no word for
	}
	return string(b)
}

func decodeReceipt(text string) (Receipt, error) {
	var row receiptRow
	err := json.Unmarshal([]byte(text), &row)
	row.todo, row.there, row.LeftThere = row.Todo, row.There, len(row.There)
	return row.Receipt, err
}

// Receipts lists the redactions of this home, the newest first, those of deleted
// stores too.
func (t *Trail) Receipts(ctx context.Context) ([]Receipt, error) {
	return t.receipts(ctx, `1 ORDER BY r.id DESC`)
}

// RedactionsOf lists the redactions that erased the versions of a target before, the
// newest first.
func (s *Store) RedactionsOf(ctx context.Context, target RedactTarget) ([]Receipt, error) {
	named := target.Versions
	if target.Version != "" {
		named = []VersionID{target.Version}
	}
	var rows []int64
	err := s.t.view(ctx, func(q reader) (err error) {
		for _, id := range named {
			row, err := s.findVersion(q, id)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		if target.Memory != "" {
			rows, err = q.ids(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE m.uid=?`, ids.Parse(ids.MemoryPrefix, string(target.Memory)))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.t.receipts(ctx, `(r.ts,r.actor) IN (SELECT redacted,redacted_by FROM version WHERE id IN (SELECT value FROM json_each(?))) ORDER BY r.id DESC`, asJSON(rows))
}

func (t *Trail) receipts(ctx context.Context, which string, args ...any) ([]Receipt, error) {
	var out []Receipt
	for row, err := range t.each(ctx, `SELECT r.id,r.receipt,r.pending,r.ts,a.kind,a.name,coalesce(s.uid,'') FROM redaction r
		JOIN actor a ON a.id=r.actor LEFT JOIN session s ON s.id=r.session WHERE `+which, args...) {
		if err != nil {
			return nil, err
		}
		r, stage, err := scanReceipt(row)
		if err != nil {
			return nil, err
		}
		r.todo = nil
		switch {
		case stage != stageDone:
			r.Outcome = OutcomePending
		case r.LeftThere > 0:
			r.Outcome = OutcomeUnknown
			r.Unknown = append(r.Unknown, "the store was deleted or disconnected here before its service had erased "+countVersions(r.LeftThere))
		case r.Outcome == OutcomePending: // finished by one who did not know what to look for
			r.Outcome = OutcomeUnknown
			r.Unknown = append(r.Unknown, "it was interrupted and finished later: the files were not searched; `memend redact --verify TEXT` searches them")
		}
		out = append(out, r)
	}
	return out, nil
}

// scanReceipt reads a redaction: its id, receipt, stage, time, actor and session.
func scanReceipt(row scanner) (r Receipt, stage int, err error) {
	var id, ts int64
	var text string
	var a Actor
	var session SessionID
	if err := row.Scan(&id, &text, &stage, &ts, &a.Kind, &a.Name, &session); err != nil {
		return r, 0, err
	}
	if r, err = decodeReceipt(text); err != nil {
		return r, 0, fmt.Errorf("%w: receipt %d: %v", ErrDamaged, id, err)
	}
	r.ID, r.By, r.Session, r.Time = id, a, session, fromMicros(ts)
	return r, stage, nil
}
