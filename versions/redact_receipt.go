package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// Outcome is the result of the search for erased bytes.
type Outcome string

const (
	OutcomeGone    Outcome = "gone"        // every file was searched, and none of them was found
	OutcomeStillIn Outcome = "still_in"    // something was found; Receipt.Found says where
	OutcomePending Outcome = "pending"     // a reader holds the database's log, or LeftUpstream isn't 0
	OutcomeUnknown Outcome = "cannot_tell" // Receipt.Unknown says why
)

// Beyond is what no receipt can cover. Every receipt includes it.
const Beyond = "memend searches its own home and the folders of the stores concerned. It can't search copies elsewhere: exports, backups and snapshots, " +
	"version control, what editors and agents keep, and freed disk blocks that are not cleared yet (TRIM)."

// Receipt records what a redaction erased and what the search found afterwards. It
// contains nothing that was erased.
type Receipt struct {
	ID             int64     `json:"id"`
	Store          StoreID   `json:"memory_store_id"`
	Name           string    `json:"store"` // the store's name
	By             Actor     `json:"-"`
	Session        SessionID `json:"session_id,omitempty"`
	Time           time.Time `json:"-"`
	Versions       int       `json:"versions"`                    // erased versions
	Deletions      int       `json:"deletions,omitempty"`         // of these, deletions by Change: they contained the path
	Change         int64     `json:"change,omitempty"`            // removed the text from current memories; 0 if none had it
	ErasedUpstream int       `json:"upstream_redacted,omitempty"` // versions that a hosted store's service reports as erased
	GoneUpstream   int       `json:"upstream_gone,omitempty"`     // versions that the service no longer had
	LeftUpstream   int       `json:"upstream_left,omitempty"`     // versions that the service still has to erase, at the next Pull
	WhyUpstream    string    `json:"upstream_error,omitempty"`    // why it did not erase them

	Drafts  int         `json:"drafts,omitempty"`        // unsaved texts that contained it and were deleted
	Copies  int         `json:"editor_copies,omitempty"` // copies for editors that contained it and were deleted
	Masked  int         `json:"masked,omitempty"`        // texts in conversations with agents that contained it
	Places  []TextPlace `json:"places,omitempty"`        // masked texts in the trail: descriptions, names
	Parts   []Part      `json:"stores,omitempty"`        // the stores concerned, if more than one
	Outcome Outcome     `json:"outcome"`
	Found   []Holding   `json:"found,omitempty"`
	More    int         `json:"found_more,omitempty"`    // holdings that are not listed
	Unknown []string    `json:"unknown,omitempty"`       // what could not be determined, and why
	Short   int         `json:"too_short,omitempty"`     // texts too short or too plain to split: searched for only as a whole
	Windows int         `json:"windows"`                 // fragments that were searched for
	Seen    int         `json:"windows_found,omitempty"` // of these, found anywhere
	Run     int         `json:"run"`                     // the search finds any surviving piece of this many bytes
	Files   int         `json:"files"`                   // searched
	Bytes   int64       `json:"bytes"`                   // bytes searched
	Folder  FolderFate  `json:"folder,omitempty"`        // of a deleted store
	todo    *todo
	there   []int64 // versions that the service of a hosted store still has to erase
}

// Part is the part of a redaction in one of several stores.
type Part struct {
	ID        int64   `json:"id"` // of its receipt
	Store     StoreID `json:"memory_store_id"`
	Name      string  `json:"store"`
	Versions  int     `json:"versions"`
	Deletions int     `json:"deletions,omitempty"`
	Change    int64   `json:"change,omitempty"`
}

// FolderFate is what happened to the folder of a deleted store.
type FolderFate string

const (
	FolderRemoved FolderFate = "removed"   // memend had created it
	FolderLeft    FolderFate = "untouched" // memend didn't create it; its memories stay
)

// Holding is something that contains erased bytes after the redaction.
type Holding struct {
	Version VersionID `json:"memory_version_id,omitempty"` // not part of the redaction
	Store   string    `json:"store,omitempty"`             // of the version or the memory
	Path    string    `json:"path,omitempty"`              // of the version or the memory
	Current bool      `json:"current,omitempty"`           // the memory contains them now
	File    string    `json:"file,omitempty"`              // on this machine
	Place   string    `json:"place,omitempty"`             // in the trail: "description of store notes"
	Windows int       `json:"windows"`                     // fragments found there
	Matches int       `json:"matches,omitempty"`           // occurrences of the given text
	All     bool      `json:"same_content,omitempty"`      // it contains the whole content
}

// maxHoldings is how many holdings a receipt lists.
const maxHoldings = 50

func (r *Receipt) add(h Holding) {
	if len(r.Found) >= maxHoldings {
		r.More++
		return
	}
	r.Found = append(r.Found, h)
}

// todo is the remaining work of a redaction that has begun. It contains the given text
// until the commit that erases the rows deletes it.
type todo struct {
	Versions   []int64    `json:"versions,omitempty"`
	Changes    []int64    `json:"changes,omitempty"` // whose rows contain a path to erase
	Memory     MemoryID   `json:"memory,omitempty"`
	Match      []byte     `json:"match,omitempty"`
	IgnoreCase bool       `json:"ignore_case,omitempty"`
	Regexp     bool       `json:"regexp,omitempty"`
	AllStores  bool       `json:"all_stores,omitempty"`
	Heads      HeadChoice `json:"heads,omitempty"` // what happens to memories that contain it
	Text       []byte     `json:"text,omitempty"`
	Newest     int64      `json:"newest,omitempty"` // newest version when the plan was made
	Drop       bool       `json:"drop,omitempty"`   // delete the store
	Remove     string     `json:"remove,omitempty"` // and remove its folder, which memend created
	There      bool       `json:"there,omitempty"`  // the service of a hosted store must erase it too

	held []int64 // held changes that contain it; found anew after a crash
}

func (d *todo) target() RedactTarget {
	return RedactTarget{Memory: d.Memory, Match: d.Match, IgnoreCase: d.IgnoreCase, Regexp: d.Regexp, AllStores: d.AllStores}
}

// Stages of a redaction, in the column pending. The trail records each stage before the
// work toward the next one begins.
const (
	stageUpstream = -1 // this home is done; the service of a hosted store is not
	stageDone     = 0  // the database's log was emptied after the erasure
	stageCleared  = 1  // the log may still contain what was erased
	stageErased   = 2  // the database may too, in free space
	stageStarted  = 3  // current memories no longer contain it; todo lists the rest
	stagePlanned  = 4  // nothing is done yet
)

// receiptRow is the content of the column receipt.
type receiptRow struct {
	Receipt
	Todo  *todo   `json:"todo,omitempty"`
	There []int64 `json:"there,omitempty"`
}

func (r Receipt) encode() string {
	b, err := json.Marshal(receiptRow{Receipt: r, Todo: r.todo, There: r.there})
	if err != nil {
		panic(err) // only unsupported types fail
	}
	return string(b)
}

func decodeReceipt(text string) (Receipt, error) {
	var row receiptRow
	err := json.Unmarshal([]byte(text), &row)
	row.Receipt.todo, row.Receipt.there, row.LeftUpstream = row.Todo, row.There, len(row.There)
	return row.Receipt, err
}

// Receipts lists the redactions of this home, newest first, including those of deleted
// stores.
func (t *Trail) Receipts(ctx context.Context) ([]Receipt, error) {
	return t.receipts(ctx, `1 ORDER BY r.id DESC`)
}

// RedactionsOf lists the earlier redactions that erased versions of a target, newest
// first.
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
			rows, err = db.Values[int64](q.Rows(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE m.uid=?`, ids.Parse(ids.MemoryPrefix, string(target.Memory))))
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
	var next recorded
	rows := t.db.Rows(ctx, receiptsWhere+which, args...)
	for range rows.Each(next.columns()...) {
		r := next.Receipt
		r.todo = nil
		switch {
		case next.stage != stageDone:
			r.Outcome = OutcomePending
		case r.LeftUpstream > 0:
			r.Outcome = OutcomeUnknown
			r.Unknown = append(r.Unknown, "the store was deleted or disconnected here before its service had erased "+countVersions(r.LeftUpstream))
		case r.Outcome == OutcomePending: // finished by a process that didn't know what to search for
			r.Outcome = OutcomeUnknown
			r.Unknown = append(r.Unknown, "it was interrupted and finished later: the files were not searched; `memend redact --verify TEXT` searches them")
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// recorded is a redaction as the trail has it.
type recorded struct {
	Receipt
	stage int
}

// receiptsWhere selects redactions. A condition follows.
const receiptsWhere = `SELECT r.id,r.receipt,r.pending,r.ts,a.kind,a.name,coalesce(s.uid,'') FROM redaction r
	JOIN actor a ON a.id=r.actor LEFT JOIN session s ON s.id=r.session WHERE `

// columns are the destinations of the columns of receiptsWhere.
func (r *recorded) columns() []any {
	var id int64
	return []any{&id, parsedTo(&r.Receipt, func(text string) (Receipt, error) {
		decoded, err := decodeReceipt(text)
		if err != nil {
			err = fmt.Errorf("%w: receipt %d: %v", ErrDamaged, id, err)
		}
		decoded.ID, decoded.By = id, Actor{}
		return decoded, err
	}), &r.stage, timeTo(&r.Time), &r.By.Kind, &r.By.Name, &r.Session}
}
