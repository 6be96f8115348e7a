package versions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// InFolder reports whether a file is a folder, or below it.
func InFolder(p, folder string) bool {
	rel, err := filepath.Rel(folder, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// NewStore describes a store to create.
type NewStore struct {
	Name        string // empty: derived from the title or else the folder, with a number if it is taken
	Title       string
	Description string
	Metadata    map[string]string
	Folder      string      // empty: a new one inside home
	Files       memfs.Names // of the folder, that are its memories
	ForAgents   bool        // see StoreInfo: if there is one, MakeStore returns it, and the name gets a number if it is taken
	Pinned      PinFor      // for whom all its memories are read-only from the beginning; empty: nobody
	Upstream    Remote
}

// Text returns a remote as stored in the table.
func (r Remote) Text() (string, error) {
	if r == (Remote{}) {
		return "", nil
	}
	b, err := json.Marshal(r)
	return string(b), err
}

// Covers reports whether a store of these files in folder would share memories with this store.
func (s StoreInfo) Covers(folder string, files memfs.Names) bool {
	return s.Folder == folder || s.FilesIn().Shares(FilesIn{folder, files})
}

// Shares reports whether the store and a store of these files in folder can have the same file.
func (s StoreInfo) Shares(folder string, files memfs.Names) bool {
	other := FilesIn{folder, files}
	return s.FilesIn().Shares(other) || other.Shares(s.FilesIn())
}

// MaxNameRunes is how many characters a name or a title of a store may have.
const MaxNameRunes = 255

// CheckTitle validates a title by the rules of the memory-stores API.
func CheckTitle(title string) error {
	if !utf8.ValidString(title) || utf8.RuneCountInString(title) > MaxNameRunes || strings.ContainsFunc(title, unicode.IsControl) {
		return fmt.Errorf("title of store: %w: must be at most %d characters of UTF-8, none of them a control character", ErrInvalid, MaxNameRunes)
	}
	return nil
}

// CheckName returns why a store may not have a name.
func CheckName(name string) error {
	switch {
	case name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxNameRunes:
		return fmt.Errorf("store name %q: must be 1 to %d characters", name, MaxNameRunes)
	case strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, "."):
		return fmt.Errorf("store name %q: must not hold control characters or slashes, nor begin with a dot", name)
	case strings.HasPrefix(name, ids.StorePrefix):
		return fmt.Errorf("store name %q: looks like an id", name)
	}
	return nil
}

// Parted is a store that was the replica of one at a service in an earlier home, and is an ordinary one since.
type Parted struct{ Name, URL string }

// Access is what a session may do in an attached store.
type Access string

const (
	ReadWrite Access = "read_write"
	ReadOnly  Access = "read_only"
)

// Attachment is a store that a session works on.
type Attachment struct {
	Store        StoreID
	Access       Access // empty: ReadWrite
	Instructions string // for the agent's prompt
}

// Mount describes a store to a session.
type Mount struct {
	Path         string // as the memory tool writes it
	Name         string
	Description  string
	Access       Access
	Instructions string
}

// These limits are those of the memory-stores API.
const (
	maxDescriptionRunes = 1024
	maxMetadata         = 16
	maxMetadataKey      = 64
	maxMetadataValue    = 512
)

// StoreUpdate is an update of a store's description. A nil field leaves its value
// unchanged.
type StoreUpdate struct {
	Name        *string            // the folder keeps its name
	Title       *string            // empty: use the name
	Description *string            // empty: none
	Metadata    map[string]*string // keys to set; nil removes a key, other keys stay
}

// Check returns why the update is invalid for any store.
func (u StoreUpdate) Check() error {
	if u.Name != nil {
		if err := CheckName(*u.Name); err != nil {
			return err
		}
	}
	if u.Title != nil {
		if err := CheckTitle(*u.Title); err != nil {
			return err
		}
	}
	if u.Description != nil {
		if err := CheckDescription(*u.Description); err != nil {
			return err
		}
	}
	set := map[string]string{}
	for k, v := range u.Metadata {
		if v != nil {
			set[k] = *v
		}
	}
	return CheckMetadata(set)
}

// CheckDescription validates a description by the rules of the memory-stores API.
func CheckDescription(s string) error {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxDescriptionRunes {
		return fmt.Errorf("description of store: %w: must be at most %d characters of UTF-8", ErrInvalid, maxDescriptionRunes)
	}
	return nil
}

// CheckMetadata checks the lengths of keys and values. It allows all characters: metadata
// is data, and whoever displays it must sanitize it.
func CheckMetadata(m map[string]string) error {
	if len(m) > maxMetadata {
		return fmt.Errorf("metadata of store: %w: %d pairs, there may be %d", ErrInvalid, len(m), maxMetadata)
	}
	for k, v := range m {
		switch {
		case k == "" || !utf8.ValidString(k) || utf8.RuneCountInString(k) > maxMetadataKey:
			return fmt.Errorf("metadata of store: %w: key %q must be 1 to %d characters of UTF-8", ErrInvalid, k, maxMetadataKey)
		case !utf8.ValidString(v) || utf8.RuneCountInString(v) > maxMetadataValue:
			return fmt.Errorf("metadata of store: %w: the value of %q must be at most %d characters of UTF-8", ErrInvalid, k, maxMetadataValue)
		}
	}
	return nil
}

// UnnamedMemoriesError reports current memories that no pattern would name any more.
type UnnamedMemoriesError struct{ Paths []memfs.Path }

func (e *UnnamedMemoriesError) Error() string {
	const shown = 6
	var paths []string
	for _, p := range e.Paths[:min(len(e.Paths), shown)] {
		paths = append(paths, p.Tool())
	}
	if more := len(e.Paths) - shown; more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return "no pattern names " + strings.Join(paths, ", ")
}

// FilesIn is the files of a store in a folder.
type FilesIn struct {
	Folder string
	Names  memfs.Names
}

// FilesIn are the files of the store in its folder.
func (s StoreInfo) FilesIn() FilesIn { return FilesIn{s.Folder, s.Files} }

// Shares reports whether n can have files of other, whose folder is n's or lies in it.
func (n FilesIn) Shares(other FilesIn) bool {
	at, ok := PathInFolder(other.Folder, n.Folder)
	switch {
	case !ok:
		return false
	case n.Names.All():
		return !at.Hidden()
	case other.Names.All():
		return n.Names.Leads(at)
	}
	return n.Names.Meets(at, other.Names)
}

// Holds reports whether a scan of the store finds a memory in this file of the machine, if it
// exists and no link leads to it.
func (s StoreInfo) Holds(file string) bool {
	p, ok := PathInFolder(file, s.Folder)
	return ok && s.Files.Shows(p)
}

// Unsearched returns what a redaction does not search in the store's folder; nil if it searches all.
func (s StoreInfo) Unsearched() func(rel string, folder bool) bool {
	if s.Files.All() {
		return nil
	}
	return func(rel string, folder bool) bool {
		p, err := memfs.ParsePath(rel)
		return err != nil || !s.Files.Match(p) && !(folder && s.Files.Leads(p))
	}
}

// PathInFolder returns a file or folder as a path of the folder that contains it.
func PathInFolder(file, folder string) (memfs.Path, bool) {
	if !InFolder(file, folder) {
		return memfs.Path{}, false
	}
	rel, err := filepath.Rel(folder, file)
	if err != nil || rel == "." {
		return memfs.Root, err == nil
	}
	p, err := memfs.ParsePath(filepath.ToSlash(rel))
	return p, err == nil
}

// CopiedHomeError reports that this home is a copy, and the folder belongs to the original
// home. It wraps ErrFolderGone: for the copy the store has no folder.
type CopiedHomeError struct {
	Home     string // this home
	Original string
}

func (e *CopiedHomeError) Error() string {
	return fmt.Sprintf("it belongs to the home %s, and %s is a copy of that", e.Original, e.Home)
}

func (e *CopiedHomeError) Is(target error) bool { return target == ErrFolderGone }

// Backup describes a copy of a home.
type Backup struct {
	Stores    int      `json:"stores"`
	Versions  int64    `json:"versions"`
	Files     int      `json:"files"`              // written beside the trail
	Bytes     int64    `json:"-"`                  // of all files
	Elsewhere []string `json:"folders_not_copied"` // folders of stores outside the home; only their trail is copied
	Damaged   []string `json:"damaged"`            // memories whose text is damaged in the trail: their files are missing
}

// IsUnwritable reports whether an error only means that the home or the folder can't be
// written: recorded data is readable. Sync returns such an error if it can't record what
// other programs did.
func IsUnwritable(err error) bool {
	return memfs.Is(err, memfs.Denied|memfs.Disk) && !errors.As(err, new(*FolderError))
}

// StoreInfo describes a store.
type StoreInfo struct {
	ID           StoreID
	Name         string // unique in its home
	Title        string // its name in the memory-stores API, if that differs from Name
	Description  string
	Metadata     map[string]string
	Limits       Limits
	Folder       string      // on this machine
	Files        memfs.Names // of the folder, that are its memories
	Upstream     Remote      // where the service keeps it, if this is a replica
	Created      time.Time
	Updated      time.Time // when this description was changed, not its memories
	LastUsed     time.Time // when a person opened it or reviewed changes in it last, else its creation
	Archived     time.Time // zero if it is not archived
	ForAgents    bool      // agents that name no store work on it
	LeftUpstream int       // versions redacted here that its service still has to erase

	Home string // the home in which the folder was chosen; empty if the folder is inside the home
}

// Remote identifies a store on a server of the memory-stores API.
type Remote struct {
	URL   string `json:"url"`   // the API's base URL
	Store string `json:"store"` // its id there
}

// FolderError reports a store whose folder can't be used.
type FolderError struct {
	Store StoreInfo
	Err   error
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("store %s: folder %s: %v", e.Store.Name, e.Store.Folder, e.Err)
}
func (e *FolderError) Unwrap() error { return e.Err }

// ArchivedError reports a store that can't be written because it is archived. It wraps ErrArchived.
type ArchivedError struct{ Store string }

func (e *ArchivedError) Error() string { return fmt.Sprintf("store %s: %v", e.Store, ErrArchived) }
func (e *ArchivedError) Unwrap() error { return ErrArchived }

// Pre is a precondition of a write. It is checked atomically with the write. The zero Pre
// always holds.
type Pre struct {
	Absent bool // the path must be free
	SHA256 Hash // the memory must have exactly this content; the zero Hash accepts any
}

// File is an open file for reading ranges. Writes of other programs to the file are
// visible in later reads.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Filter selects changes. A zero field selects all.
type Filter struct {
	Session SessionID
	Actor   ActorKind
	Kind    ChangeKind
	In      memfs.Path // with a version of the memory at this path, or below this folder
	Since   time.Time
	Until   time.Time
}

// SyncReport counts what a scan found.
type SyncReport struct {
	Files   int          // regular files checked
	Read    int          // of these, read because they seemed changed
	Adopted int          // versions added
	Changed bool         // the tree changed: versions were added, or other entries were added, removed or changed
	Denied  []memfs.Path // files and folders that may not be read: what the trail holds of them may be old
}

// ConflictError reports a precondition that doesn't hold. Nothing was written.
type ConflictError struct {
	Path memfs.Path
	Want Hash // the expected content; zero if the path was expected to be free
	Now  Hash // the actual content; zero if there is none
}

func (e *ConflictError) Error() string {
	switch {
	case e.Want == (Hash{}):
		return fmt.Sprintf("%s: already exists", e.Path.Tool())
	case e.Now == (Hash{}):
		return fmt.Sprintf("%s: was deleted since it was read", e.Path.Tool())
	}
	return fmt.Sprintf("%s: changed since it was read", e.Path.Tool())
}

// Event describes what is new in a watched store.
type Event struct {
	Changes []Change // since the last event, oldest first, by any actor: this process, another, or outside
	// Attributed lists earlier changes whose actor was inferred now, or turned out to be unknown
	// after all.
	Attributed []Change

	Reload   bool  // there are too many changes, and Changes is empty: read the tree again
	Polling  bool  // the folder can't be watched, and is scanned periodically instead
	Others   bool  // entries that are not memories were added, removed or changed
	Reads    bool  // the ledger has new reads; ignore it if you show none
	Trust    bool  // a change was held or decided about, a policy or a pin changed, versions were erased, or the branch was looked at
	Reviewed bool  // what is reviewed may have changed: a person decided elsewhere, or opened the store
	Err      error // why the store can't be read now (its folder is gone, for example), in each event until it can

	Upstream *UpstreamState // the new state of a hosted store's connection; nil: unchanged
}

// HoldingFolder returns the innermost store whose folder is or contains folder.
func HoldingFolder(all []StoreInfo, folder string) (found StoreInfo, ok bool) {
	for _, s := range all {
		if InFolder(folder, s.Folder) && (s.Files.All() || s.Folder == folder) && len(s.Folder) > len(found.Folder) {
			found, ok = s, true
		}
	}
	return found, ok
}

// HoldingFile returns the innermost store that a file of the machine belongs to.
func HoldingFile(all []StoreInfo, file string) (found StoreInfo, any bool) {
	for _, s := range all {
		p, ok := PathInFolder(file, s.Folder)
		if (ok && s.Files.Match(p) || s.Files.All() && InFolder(file, s.Folder)) && len(s.Folder) > len(found.Folder) {
			found = s
		}
	}
	return found, found.ID != ""
}

// Check returns why the store is invalid, or nil.
func (n NewStore) Check() error {
	if n.Name != "" || n.Folder == "" && n.Title == "" {
		if err := CheckName(n.Name); err != nil {
			return err
		}
	}
	if !n.Files.All() && (n.Folder == "" || n.Upstream != Remote{}) {
		return fmt.Errorf("store of named files: %w: its files must be in a folder of this machine that exists", ErrInvalid)
	}
	if n.Pinned != "" {
		if err := CheckPin(memfs.Root, n.Pinned); err != nil {
			return err
		}
	}
	if err := CheckTitle(n.Title); err != nil {
		return err
	}
	if err := CheckDescription(n.Description); err != nil {
		return err
	}
	return CheckMetadata(n.Metadata)
}

// NameTaken reports whether one of the stores has a name.
func NameTaken(all []StoreInfo, name string) bool {
	return slices.ContainsFunc(all, func(s StoreInfo) bool { return s.Name == name })
}

// UnusedName returns base, with a number if it is taken.
func UnusedName(all []StoreInfo, base string) string {
	name := base
	for n := 2; NameTaken(all, name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// maxHandle bounds names derived from titles, because they become folder names.
const maxHandle = 60

// HandleOf derives a name from a title by the rule for agents' mounts: lower case, with one
// dash for each run of characters other than ASCII letters and digits.
func HandleOf(title string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(title) {
		if b.Len() == maxHandle {
			break
		}
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-")
	if CheckName(name) != nil {
		return "store"
	}
	return name
}
