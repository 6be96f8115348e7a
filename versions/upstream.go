package versions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
)

// Upstream is a service that keeps a hosted store, of which this home has a replica. It is the
// memory-stores API for one store. Its methods wait for the network and may be called from several
// goroutines.
//
// The methods report missing objects and refusals as errors of this package: ErrNoStore,
// ErrNoMemory, ErrNoVersion, *HostedConflict, *HostedRefusal. An unreachable service is an
// *UpstreamError.
type Upstream interface {
	Create(ctx context.Context, p memfs.Path, content []byte) (HostedMemory, error)
	// Update changes the path, the content or both of a memory whose content has the hash base. A
	// zero path and a nil content leave the old values.
	Update(ctx context.Context, id MemoryID, base Hash, to memfs.Path, content []byte) (HostedMemory, error)
	Delete(ctx context.Context, id MemoryID, base Hash) error
	Redact(ctx context.Context, id VersionID) (HostedVersion, error)

	// Memories lists the current memories without contents, page by page.
	Memories(ctx context.Context, page string) (HostedMemories, error)
	Memory(ctx context.Context, id MemoryID) (HostedMemory, error)
	// Versions lists versions, the newest first, page by page. It returns ErrNoHistory when the
	// service has the store but no list of versions.
	Versions(ctx context.Context, q HostedQuery, page string) (HostedVersions, error)
	Version(ctx context.Context, id VersionID) (HostedVersion, error)

	// About returns the service's description of the store. Describe and Archive change it. Drop
	// deletes the store with everything in it.
	About(ctx context.Context) (HostedStore, error)
	Describe(ctx context.Context, u StoreUpdate) (HostedStore, error)
	Archive(ctx context.Context) (HostedStore, error)
	Drop(ctx context.Context) error
}

// These types hold the service's answers. Paths and ids are not validated.
type (
	HostedStore struct {
		ID                         string
		Name, Description          string
		Metadata                   map[string]string
		Created, Updated, Archived time.Time
	}
	HostedMemory struct {
		ID      string
		Version string // its newest version
		Path    string
		SHA256  Hash
		Size    int64
		Updated time.Time
		Content []byte // nil when not requested
	}
	HostedVersion struct {
		ID         string
		Memory     string
		Operation  Operation
		Path       string
		SHA256     Hash
		Size       int64
		Content    []byte // nil when not requested or when there is none
		By         Actor
		Session    SessionID
		Time       time.Time
		Redacted   time.Time
		RedactedBy Actor
	}
	// HostedQuery selects versions. The zero HostedQuery selects all.
	HostedQuery struct {
		Memory       MemoryID
		Since, Until time.Time // both inclusive, with the precision of the service
		Full         bool      // with contents
		Limit        int       // of a page; 0 is the service's default
	}
	HostedVersions struct {
		Versions []HostedVersion
		Next     string // empty on the last page
	}
	HostedMemories struct {
		Memories []HostedMemory
		Next     string
	}
)

// HostedConflict means that the service refused a write because the memory or its path is not in
// the state that the writer expected.
type HostedConflict struct {
	Memory string // the conflicting memory; empty when a precondition failed
	Path   string
	Err    error
}

func (e *HostedConflict) Error() string { return e.Err.Error() }
func (e *HostedConflict) Unwrap() error { return e.Err }

// HostedRefusal means that the service rejects a request permanently: the store is archived or
// full, a text is too long, or a path is not allowed.
type HostedRefusal struct{ Message string }

func (e *HostedRefusal) Error() string { return "the service refuses it: " + e.Message }

// Trouble is the reason why a service can't be used.
type Trouble string

const (
	NoTrouble       Trouble = ""
	Offline         Trouble = "offline"          // no answer, or only server errors
	RateLimited     Trouble = "rate limited"     // it accepts no requests until some time
	Unauthorized    Trouble = "unauthorized"     // the credentials are missing or rejected
	InvalidResponse Trouble = "invalid response" // its answer is invalid
	Gone            Trouble = "deleted there"    // it no longer has the store
)

// UpstreamError means that a service can't be used at the moment.
type UpstreamError struct {
	Trouble Trouble
	Until   time.Time // set for RateLimited
	Unsure  bool      // no answer came: the service may have processed the request
	Err     error
}

func (e *UpstreamError) Error() string {
	s := string(e.Trouble)
	if e.Trouble == InvalidResponse {
		s = "the service's answers are not sound"
	}
	if !e.Until.IsZero() {
		s += " until " + e.Until.Local().Format("15:04:05")
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Unsure {
		s += " (it may have been done: no answer came)"
	}
	return s
}
func (e *UpstreamError) Unwrap() error { return e.Err }

// AsInvalidResponse returns the error of a service whose answer is invalid.
func AsInvalidResponse(format string, args ...any) error {
	return &UpstreamError{Trouble: InvalidResponse, Err: fmt.Errorf(format, args...)}
}

// ErrNoUpstream means that this program has no client for services.
var ErrNoUpstream = errors.New("the store is hosted, and this program does not speak to its service")

// ErrNoHistory is returned by Upstream.Versions when the service has the store but no list of its
// versions.
var ErrNoHistory = errors.New("the service keeps no versions: it has no /memory_versions")

// ErrGoneUpstream means that the service no longer has the store.
var ErrGoneUpstream = errors.New("it was deleted at its service")

// UpstreamState describes the connection between a replica and its service.
type UpstreamState struct {
	Trouble Trouble   // NoTrouble while the service answers
	Since   time.Time // when the trouble began
	Until   time.Time // the earliest time of the next request
	Err     error
	Asked   bool // at least one request was sent
}

// Reason returns why the service can't be used, without what Trouble says already.
func (u UpstreamState) Reason() string {
	var trouble *UpstreamError
	switch {
	case errors.As(u.Err, &trouble) && trouble.Err != nil:
		return trouble.Err.Error()
	case u.Err == nil || trouble != nil:
		return ""
	}
	return u.Err.Error()
}

// SameProblem reports whether both have the same trouble for the same reason. The numbers in a
// reason do not count: each attempt has another local port.
func (u UpstreamState) SameProblem(as UpstreamState) bool {
	digits := func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}
	return u.Trouble == as.Trouble && strings.Map(digits, u.Reason()) == strings.Map(digits, as.Reason())
}

// Hosted reports whether a service keeps the store and this home has a replica of it.
func (i StoreInfo) Hosted() bool { return i.Upstream != (Remote{}) }

// ErrConnected means that this home already has a replica of the service's store.
var ErrConnected = errors.New("this home has a replica of it already")

// Offer is a store of a service that can be connected.
type Offer struct {
	HostedStore
	Here StoreInfo // its replica; without an id there is none
}

// PartlyError means that the service applied a part of a mutation of several memories and then
// failed or was stopped. The applied part stays and is in the history as a change. The same undo,
// restore or deletion again applies the rest; a copy finds its places taken until that change is undone.
type PartlyError struct {
	Done, Left []memfs.Path // the path of each memory afterwards, or its old path when it is deleted
	Aside      []memfs.Path // where memories of Left are that had to make room for others
	Change     int64
	Err        error
}

func (e *PartlyError) Error() string {
	s := fmt.Sprintf("%d of %d memories were done, as change %d", len(e.Done), len(e.Done)+len(e.Left), e.Change)
	for _, p := range e.Aside {
		s += ", one is at " + p.Tool() + " meanwhile"
	}
	s += ", and then"
	if e.Stopped() {
		return s + " it was stopped"
	}
	return fmt.Sprintf("%s: %v", s, e.Err)
}

// Stopped reports whether the mutation was canceled, so that there is no error to report.
func (e *PartlyError) Stopped() bool {
	return errors.Is(e.Err, context.Canceled) && !errors.As(e.Err, new(*UpstreamError))
}
func (e *PartlyError) Unwrap() error { return e.Err }

// LaterError means that the service applied a mutation whose result could not be stored here. The
// next pull stores it.
type LaterError struct{ Err error }

func (e *LaterError) Error() string {
	return fmt.Sprintf("the service has it, but it shows here only with the next sync: %v", e.Err)
}
func (e *LaterError) Unwrap() error { return e.Err }

// MayBeDone reports whether a service may have done part of a request that returned an error.
func MayBeDone(err error) bool {
	var trouble *UpstreamError
	return errors.As(err, new(*PartlyError)) || errors.As(err, new(*LaterError)) || errors.As(err, &trouble) && trouble.Unsure
}

// PullOptions select how thorough a pull is. The zero PullOptions pull what is new.
type PullOptions struct {
	Full    bool // every version and every current memory of the service
	Compare bool // only the current memories of the service
}

// Pulled describes the result of a pull.
type Pulled struct {
	Versions  int       // new versions
	Redacted  int       // versions that the service erased since, and that were erased here
	Skipped   []Skipped // memories that can't be stored here
	Listed    int       // versions that the service listed
	NoHistory bool      // the service keeps no versions: only the states at each pull are known
}

// Skipped is a memory of the service that can't be stored in a folder here.
type Skipped struct {
	Memory string
	Path   string
	Err    error
}

// ErrHereToo means that another store of this home already has the hosted store's memories.
var ErrHereToo = errors.New("its memories are in another store of this home already")

// NonNil returns an empty text for nil, which means that there is no text.
func NonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Unfinished describes work on a store that was started but is not complete.
type Unfinished struct {
	Changes    []int64 // recorded, but not yet written to the folder; oldest first
	Redactions int     // redactions whose text is not yet erased from every file of the home
	There      int     // redactions whose versions the service of a hosted store has not yet erased
}
