package versions

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
)

// hostedAct is the part of a mutation that the service applies to one memory.
type hostedAct struct {
	sent    sent       // the memory at the service; without a path it is to be created
	to      memfs.Path // its path afterwards, unless it is deleted
	sha     Hash       // hash of its content afterwards
	content []byte     // its content afterwards
	gone    bool
	source  int64 // the version that the content is from, when a restore or an undo brings one back
}

// moves and changes report what an update of the memory changes.
func (a *hostedAct) moves() bool   { return a.sent.live() && a.sent.path != a.to }
func (a *hostedAct) changes() bool { return a.sha != a.sent.sha }

// rehearsal is a mutation that was planned on the replica without writing anything.
type rehearsal struct {
	asked  request
	undone []int64
	acts   []*hostedAct
	any    bool // it changes something here
	hosted bool // it changes something at the service
}

// rehearse plans a mutation, records the result for each memory, and discards the plan. It first
// adopts what other programs changed in the folder.
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
		if planned == nil { // plan again, on top of the adopted changes
			planned = errForeign
		}
	}
	if planned != nil {
		return nil, planned
	}
	return d.rehearsed()
}

// rehearsed returns what a draft would do.
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
			continue // otherwise the service never had it or no longer has it
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

// readUpstream asks the service for memories whose last version there is erased here, and drops
// deletions of memories that the service no longer has.
func (s *Store) readUpstream(ctx context.Context, acts []*hostedAct) (out []*hostedAct, err error) {
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

// inPlace merges a deletion and a creation at the same path into one update. As two requests, the
// service would assign another id, and for a moment have neither memory.
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
		if !a.gone && a.sent.live() && !a.moves() && !a.changes() { // nothing to do
			continue
		}
		if !a.gone || leaving[a.sent.path] == a {
			out = append(out, a)
		}
	}
	return out
}
