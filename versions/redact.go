package versions

import (
	"fmt"
	"time"
)

// HeadChoice decides what happens to memories whose current text must be erased. A
// redaction can't change their files without that decision.
type HeadChoice int

const (
	HeadRefuse  HeadChoice = iota // redact nothing; for a Memory, redact its past only
	HeadReplace                   // replace their text
	HeadMask                      // with Match: replace each occurrence with Text
	HeadDelete                    // delete them
)

// RedactChoice says how to apply a plan.
type RedactChoice struct {
	Heads HeadChoice
	Text  []byte // for HeadReplace and HeadMask; empty removes the occurrences
	Scrub
}

// Scrub controls the last steps of a redaction.
type Scrub struct {
	Wait     time.Duration           // how long to wait for readers of the trail before the outcome is pending
	Progress func(done, total int64) // called with the bytes searched so far; may be nil
}

// RedactTarget says what to erase: exactly one of Version, Versions, Memory and Match is
// set.
type RedactTarget struct {
	Version   VersionID   // one version
	Versions  []VersionID // several versions
	Memory    MemoryID    // the versions of this memory; the current one only with a HeadChoice
	Match     []byte      // every version whose text or path contains this, and other texts in the home
	AllStores bool        // with Match: in all stores of the home

	IgnoreCase bool // with Match: ignore case
	Regexp     bool // Match is a regular expression
}

// PlannedVersion is a version in a redaction plan.
type PlannedVersion struct {
	Version
	StoreID  StoreID
	Store    string // the store's name
	Current  bool   // it is the current version of its memory
	Row      int64
	Blob     int64
	StoreRow int64
	Memory   int64
}

// TextPlace is something other than a version that contains a given text.
type TextPlace struct {
	What  string `json:"place"` // "description of store notes"
	Count int    `json:"count"`
	Stays bool   `json:"stays,omitempty"` // it can't be erased here
}

// String returns the place and, if there are several of its kind, their number.
func (p TextPlace) String() string {
	if p.Count > 1 {
		return fmt.Sprintf("%s (%d)", p.What, p.Count)
	}
	return p.What
}

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
