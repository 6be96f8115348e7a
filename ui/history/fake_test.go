package history

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// fake is a store that the test fills.
type fake struct {
	versions   map[versions.MemoryID][]versions.Version // oldest first
	changes    []versions.Change                        // oldest first
	texts      map[versions.VersionID]string
	session    versions.SessionID
	oneSession bool // for all writes; otherwise each change has its own
	asked      []string
	filters    []versions.Filter
	written    []string // the writes and their preconditions
	acts       []versions.Bulk
	err        error
}

func newFake() *fake {
	return &fake{versions: map[versions.MemoryID][]versions.Version{}, texts: map[versions.VersionID]string{}}
}

func path(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

// write makes one change that writes a new text to each of the memories; an empty text deletes
// the memory.
func (f *fake) write(actor versions.Actor, texts ...string) versions.Change {
	n := int64(len(f.changes) + 1)
	at := start.Add(time.Duration(n) * 10 * time.Minute)
	if !f.oneSession {
		f.session = versions.SessionID(fmt.Sprintf("sesn_%08d", n))
	}
	c := versions.Change{Number: n, Kind: versions.KindEdit, Actor: actor, Session: f.session, Time: at, Versions: len(texts) / 2}
	for i := 0; i < len(texts); i += 2 {
		name, text := texts[i], texts[i+1]
		m := versions.MemoryID("mem_" + name)
		list := f.versions[m]
		v := versions.Version{
			ID: versions.VersionID(fmt.Sprintf("memver_%s_%d", name, len(list)+1)), Memory: m, Number: len(list) + 1, Change: n,
			Operation: versions.Modified, Path: path(name), Actor: actor, Session: c.Session, Time: at,
		}
		before := ""
		if len(list) > 0 {
			before = f.texts[list[len(list)-1].ID]
		} else {
			v.Operation = versions.Created
		}
		if text == "" {
			v.Operation = versions.Deleted
		} else {
			f.texts[v.ID] = text
			v.SHA256 = sha256.Sum256([]byte(text))
		}
		v.Added, v.Removed = diff.Count([]byte(before), []byte(text))
		f.versions[m] = append(list, v)
		switch v.Operation {
		case versions.Created:
			c.Effect.Created++
		case versions.Deleted:
			c.Effect.Deleted++
		default:
			c.Effect.Edited++
		}
		c.Effect.Path = v.Path
		c.Path = path(name)
	}
	if c.Versions > 1 {
		c.Path, c.Effect.Path = memfs.Root, memfs.Root
	}
	f.changes = append(f.changes, c)
	return c
}

func (f *fake) History(_ context.Context, m versions.MemoryID, before, limit int) ([]versions.Version, error) {
	if m == "" {
		return nil, versions.ErrNoMemory
	}
	f.asked = append(f.asked, fmt.Sprintf("history %s before %d", m, before))
	var out []versions.Version
	for _, v := range slices.Backward(f.versions[m]) {
		if (before == 0 || v.Number < before) && len(out) < limit {
			out = append(out, v)
		}
	}
	return out, f.err
}

func (f *fake) Changes(ctx context.Context, q versions.Filter, before int64, limit int) ([]versions.Change, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f.asked = append(f.asked, fmt.Sprintf("changes before %d", before))
	f.filters = append(f.filters, q)
	var out []versions.Change
	for _, c := range slices.Backward(f.changes) {
		if q.Actor != "" && c.Actor.Kind != q.Actor || q.Kind != "" && c.Kind != q.Kind || q.Session != "" && c.Session != q.Session ||
			!q.Since.IsZero() && c.Time.Before(q.Since) || !q.Until.IsZero() && c.Time.After(q.Until) || !q.In.IsRoot() && !c.Path.In(q.In) {
			continue
		}
		if (before == 0 || c.Number < before) && len(out) < limit {
			out = append(out, c)
		}
	}
	return out, f.err
}

func (f *fake) Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error) {
	if ctx.Err() != nil {
		return versions.Change{}, nil, ctx.Err()
	}
	var out []versions.Version
	for _, list := range f.versions {
		for _, v := range list {
			if v.Change == n {
				out = append(out, v)
			}
		}
	}
	slices.SortFunc(out, func(a, b versions.Version) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	return f.changes[n-1], out, f.err
}

func (f *fake) Acts(_ context.Context, oldest, newest versions.Change) (out []versions.Bulk, err error) {
	for _, b := range f.acts {
		if b.First() <= newest.Number && b.Last() >= oldest.Number {
			out = append(out, b)
		}
	}
	return out, f.err
}

func (f *fake) Content(ctx context.Context, id versions.VersionID) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	text, ok := f.texts[id]
	if !ok {
		return nil, fmt.Errorf("version %s: %w", id, versions.ErrRedacted)
	}
	return []byte(text), f.err
}

func (f *fake) RestoreText(_ context.Context, by versions.By, p memfs.Path, text []byte, pre versions.Pre) (versions.Change, error) {
	f.written = append(f.written, fmt.Sprintf("%s %q by %s if %x", p, text, by.Actor.Name, pre.SHA256[:2]))
	return f.write(by.Actor, p.String(), string(text)), f.err
}
