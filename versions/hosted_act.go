package versions

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
)

// hostedAct is what a mutation asks of the service for one memory.
type hostedAct struct {
	sent    sent       // the memory there; without a place it is to be made
	to      memfs.Path // where it is to stand; unless it is to go
	sha     Hash       // what it is to hold
	content []byte     // the same
	gone    bool
	source  int64 // the version whose content it is, when a restore or an undo puts one back
}

// moves and changes say what an update of the memory is to do.
func (a *hostedAct) moves() bool   { return a.sent.live() && a.sent.path != a.to }
func (a *hostedAct) changes() bool { return a.sha != a.sent.sha }

// rehearsal is a mutation that was planned on the replica, and of which nothing was
// written.
type rehearsal struct {
	asked  request
	undone []int64
	acts   []*hostedAct
	any    bool // it changes something here
	hosted bool // it concerns what the service has, or is to have
}

// rehearse plans a mutation, learns what would become of each memory, and lets it go
// again. What other programs did to the folder is adopted on the way.
func (s *Store) rehearse(ctx context.Context, by By, want plan) (*rehearsal, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx = context.WithoutCancel(ctx)
	for try := 1; ; try++ {
		r, err := s.rehearseOnce(ctx, by, want)
		if !errors.Is(err, errForeign) || try == maxTries {
			return r, err
		}
	}
}

func (s *Store) rehearseOnce(ctx context.Context, by By, want plan) (*rehearsal, error) {
	x, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer x.Rollback()
	if err := x.mayWrite(by); err != nil {
		return nil, err
	}
	d := &mutation{x: x, by: by}
	planned := d.permitted(want(d))
	if x.adopted != nil {
		if err := s.adoptFirst(ctx, x); err != nil {
			return nil, errors.Join(planned, err)
		}
		s.t.notify()
		if planned == nil { // once more, on top of that
			planned = errForeign
		}
	}
	if planned != nil {
		return nil, planned
	}
	return d.rehearsed()
}

// rehearsed is what a draft would have done.
func (d *mutation) rehearsed() (*rehearsal, error) {
	r := &rehearsal{asked: d.asked, undone: d.undone, any: d.c != nil}
	for _, v := range d.versions {
		a := &hostedAct{to: v.path, sha: v.facts.sha, gone: v.op == Deleted, source: v.source}
		var err error
		if a.sent, err = d.x.sentOf(v.memory, v.number); err != nil {
			return nil, err
		}
		if a.gone {
			if a.sent.live() {
				r.acts = append(r.acts, a)
			}
			continue // else the service never had it, or has it no longer
		}
		if !a.sent.live() {
			a.sent = sent{}
		}
		if a.content, err = blobContent(d.x, v.blob); err != nil {
			return nil, err
		}
		if !utf8.Valid(a.content) {
			return nil, fmt.Errorf("%s: %w: a hosted store keeps UTF-8 text only", v.path.Tool(), ErrInvalid)
		}
		r.acts = append(r.acts, a)
	}
	r.hosted = len(r.acts) > 0
	return r, nil
}

// lookThere asks the service for what it has of memories whose last version there is
// erased here, and leaves out deletions of those that it no longer has.
func (s *Store) lookThere(ctx context.Context, acts []*hostedAct) (out []*hostedAct, err error) {
	for _, a := range acts {
		if !a.sent.redacted {
			out = append(out, a)
			continue
		}
		m, err := s.up.Memory(ctx, a.sent.id)
		switch {
		case errors.Is(err, ErrNoMemory):
			if a.sent = (sent{}); a.gone {
				continue
			}
		case err != nil:
			return acts, err
		case m.Version != string(a.sent.uid) && !s.lacksHistory():
			return acts, &HostedConflict{Memory: m.ID, Path: m.Path, Err: fmt.Errorf("memory %s was changed at the service", a.sent.id)}
		default:
			p, err := memfs.ParsePath(m.Path)
			if err != nil {
				return acts, unbelievable("memory %s: path %.80q", a.sent.id, m.Path)
			}
			a.sent.place = place{path: p, sha: m.SHA256, size: m.Size}
		}
		out = append(out, a)
	}
	return out, nil
}

// inPlace makes one update of a memory that is to go and one that is to come at the
// same path: the service would give that another id, and for a moment have neither.
func inPlace(acts []*hostedAct) (out []*hostedAct) {
	leaving := map[memfs.Path]*hostedAct{}
	for _, a := range acts {
		if a.gone {
			leaving[a.sent.path] = a
		}
	}
	for _, a := range acts {
		if a.gone || a.sent.live() {
			continue
		}
		if old := leaving[a.to]; old != nil {
			a.sent = old.sent
			delete(leaving, a.to)
		}
	}
	for _, a := range acts {
		if !a.gone && a.sent.live() && !a.moves() && !a.changes() { // it is so already
			continue
		}
		if !a.gone || leaving[a.sent.path] == a {
			out = append(out, a)
		}
	}
	return out
}
