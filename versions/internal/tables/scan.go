package tables

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// parsed scans a value of the tables into what it stands for. NULL is the zero value.
type parsed[From, To any] struct {
	value sql.Null[From]
	to    *To
	parse func(From) (To, error)
}

func (p *parsed[From, To]) Scan(value any) (err error) {
	var none To
	if err = p.value.Scan(value); err != nil || !p.value.Valid {
		*p.to = none
		return err
	}
	*p.to, err = p.parse(p.value.V)
	return err
}

// ParsedTo scans what parse makes of a value. If it reads what other columns gave, those come before.
func ParsedTo[From, To any](to *To, parse func(From) (To, error)) sql.Scanner {
	return &parsed[From, To]{to: to, parse: parse}
}

// PathTo scans a path.
func PathTo(p *memfs.Path) sql.Scanner { return ParsedTo(p, PathOf) }

// PathOf parses a path of the tables. An invalid path means damage.
func PathOf(key string) (memfs.Path, error) {
	p, err := memfs.ParsePath(key)
	if err != nil {
		return p, errors.Join(versions.ErrDamaged, err)
	}
	return p, nil
}

// AllPaths returns the only column of an answer.
func AllPaths(rows *db.Rows) ([]memfs.Path, error) {
	var p memfs.Path
	return db.All(rows, &p, PathTo(&p))
}

// TimeTo scans a time in microseconds.
func TimeTo(t *time.Time) sql.Scanner {
	return ParsedTo(t, func(us int64) (time.Time, error) { return FromMicros(us), nil })
}

// FromMicros returns a time of the tables.
func FromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }

// IDTo scans the bytes of an id.
func IDTo[T versions.StoreID | versions.MemoryID | versions.VersionID](id *T) sql.Scanner {
	return uid[T]{id}
}

type uid[T versions.StoreID | versions.MemoryID | versions.VersionID] struct{ to *T }

func (u uid[T]) Scan(value any) error {
	b := bytesOf(value)
	if *u.to = ""; len(b) == 0 {
		return nil
	}
	prefix := ids.VersionPrefix
	switch any(u.to).(type) {
	case *versions.StoreID:
		prefix = ids.StorePrefix
	case *versions.MemoryID:
		prefix = ids.MemoryPrefix
	}
	*u.to = T(ids.Format(prefix, b))
	return nil
}

// HashTo scans a hash. One that is lost is shorter in the tables: it equals only itself.
func HashTo(h *versions.Hash) sql.Scanner { return hash{h} }

type hash struct{ to *versions.Hash }

func (h hash) Scan(value any) error {
	*h.to = versions.Hash{}
	copy(h.to[:], bytesOf(value))
	return nil
}

// KnownHash selects the hash of a content b, or NULL when it is lost.
const KnownHash = `iif(length(b.sha)=32,b.sha,NULL)`

// bytesOf returns the bytes of a value, which are valid until the next row.
func bytesOf(value any) []byte {
	switch value := value.(type) {
	case nil:
		return nil
	case []byte:
		return value
	}
	return fmt.Append(nil, value)
}
