package versions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
)

// Upstream is the service that keeps a hosted store, of which this home has a
// replica: the memory-stores API, spoken to for one store. Its methods wait for the
// network, and may be called from several goroutines.
//
// What the service has not, and what it refuses, they say in the engine's words:
// ErrNoStore, ErrNoMemory, ErrNoVersion, *HostedConflict, *HostedRefusal. A service
// that can't be asked is an *UpstreamError.
type Upstream interface {
	Create(ctx context.Context, p memfs.Path, content []byte) (HostedMemory, error)
	// Update gives a memory another path, another content or both, if it holds base. A
	// zero path and a nil content stay as they are.
	Update(ctx context.Context, id MemoryID, base Hash, to memfs.Path, content []byte) (HostedMemory, error)
	Delete(ctx context.Context, id MemoryID, base Hash) error
	Redact(ctx context.Context, id VersionID) (HostedVersion, error)

	// Memories lists what stands, without contents, page by page.
	Memories(ctx context.Context, page string) (HostedMemories, error)
	Memory(ctx context.Context, id MemoryID) (HostedMemory, error)
	// Versions lists versions, the newest first, page by page; ErrNoHistory where the
	// service has the store and no such list.
	Versions(ctx context.Context, q HostedQuery, page string) (HostedVersions, error)
	Version(ctx context.Context, id VersionID) (HostedVersion, error)

	// About is what the service says of the store; Describe and Archive change that,
	// Drop deletes it with all that is in it.
	About(ctx context.Context) (HostedStore, error)
	Describe(ctx context.Context, u StoreUpdate) (HostedStore, error)
	Archive(ctx context.Context) (HostedStore, error)
	Drop(ctx context.Context) error
}

// What a service says. Paths and ids are as it wrote them: nobody has checked them.
type (
	HostedStore struct {
		ID                         string
		Name, Description          string
		Metadata                   map[string]string
		Created, Updated, Archived time.Time
	}
	HostedMemory struct {
		ID      string
		Version string // its newest
		Path    string
		SHA256  Hash
		Size    int64
		Updated time.Time
		Content []byte // nil where it was not asked for
	}
	HostedVersion struct {
		ID         string
		Memory     string
		Operation  Operation
		Path       string
		SHA256     Hash
		Size       int64
		Content    []byte // nil where it was not asked for, or there is none
		By         Actor
		Session    SessionID
		Time       time.Time
		Redacted   time.Time
		RedactedBy Actor
	}
	// HostedQuery chooses versions. Zero fields choose all.
	HostedQuery struct {
		Memory       MemoryID
		Since, Until time.Time // both included, as exact as the service has it
		Full         bool      // with contents
		Limit        int       // of a page; 0 is as many as the service gives
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

// HostedConflict is a write that the service refused since the memory is not, or its
// place is not, what the writer took it for.
type HostedConflict struct {
	Memory string // that is in the way; empty when a precondition failed
	Path   string
	Err    error
}

func (e *HostedConflict) Error() string { return e.Err.Error() }
func (e *HostedConflict) Unwrap() error { return e.Err }

// HostedRefusal is a request that the service will not do, however often it is sent:
// the store is archived or full, a text too long, a path not allowed.
type HostedRefusal struct{ Message string }

func (e *HostedRefusal) Error() string { return "the service refuses it: " + e.Message }

// Trouble is why a service can't be asked.
type Trouble string

const (
	NoTrouble       Trouble = ""
	Offline         Trouble = "offline"           // no answer, or only errors of the server's own
	RateLimited     Trouble = "rate limited"      // it wants to be left alone until a time
	Unauthorized    Trouble = "unauthorized"      // there are no credentials, or it refuses them
	InvalidResponse Trouble = "answers not sound" // what it says can't be
	Gone            Trouble = "deleted there"     // it no longer has the store
)

// UpstreamError is a service that can't be asked.
type UpstreamError struct {
	Trouble Trouble
	Until   time.Time // of RateLimited
	Unsure  bool      // it may have done what was asked: no answer came
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

func unbelievable(format string, args ...any) error {
	return &UpstreamError{Trouble: InvalidResponse, Err: fmt.Errorf(format, args...)}
}

// ErrNoUpstream is a program that does not speak to services.
var ErrNoUpstream = errors.New("the store is hosted, and this program does not speak to its service")

// ErrNoHistory is what Upstream.Versions gives where the service has the store and no
// list of its versions.
var ErrNoHistory = errors.New("the service keeps no versions: it has no /memory_versions")

// ErrGoneThere is a store that its service no longer has.
var ErrGoneThere = errors.New("it was deleted at its service")

// UpstreamState is how a hosted store's replica stands to its service.
type UpstreamState struct {
	Trouble Trouble   // NoTrouble while the service answers
	Since   time.Time // when that began
	Until   time.Time // when it is asked again at the earliest
	Err     error
	Asked   bool // it was asked at all
}

// hosted reports whether the store is a replica of one that a service keeps.
func (s *Store) hosted() bool { return s.info.Hosted() }

// Hosted reports whether a service keeps the store, and this home a replica of it.
func (i StoreInfo) Hosted() bool { return i.Upstream != (Remote{}) }

// UpstreamState is how it stands now.
func (s *Store) UpstreamState() UpstreamState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.standing
}

// noteAnswer notes how the service answered, and reports whether that is news.
func (s *Store) noteAnswer(err error) (news bool) {
	now := UpstreamState{Asked: true, Since: s.t.now()}
	var trouble *UpstreamError
	if errors.As(err, &trouble) {
		now.Trouble, now.Until, now.Err = trouble.Trouble, trouble.Until, trouble
	} else if errors.Is(err, ErrNoStore) {
		now.Trouble, now.Err = Gone, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.standing
	if was.Asked && was.Trouble == now.Trouble {
		now.Since = was.Since
	}
	s.standing = now
	return !was.Asked || was.Trouble != now.Trouble
}

// notThere reports whether the service of a hosted store could not be asked, or would
// not do it: for an agent that is an answer, and no end of its session.
func notThere(err error) bool {
	var trouble *UpstreamError
	var no *HostedRefusal
	var partly *PartlyError
	return errors.As(err, &trouble) || errors.As(err, &no) || errors.As(err, &partly)
}
