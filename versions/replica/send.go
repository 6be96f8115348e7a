package replica

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/redact"
)

// sending applies the acts of a delivery at the service, one after another, in an order in which no
// two memories ever conflict. First it applies the acts whose target path is free, and then the
// deletions that free a path for others. When several memories wait for each other in a cycle, one
// of them moves to a temporary path. Deletions that block nothing come last.
type sending struct {
	*delivery
	up         versions.Upstream
	whole      context.Context // for a request, which must not be canceled in the middle
	waits      []*hostedAct
	at         memfs.Occupied[memfs.Path, hostedAct] // the current paths of the waiting memories
	movedAside map[*hostedAct]bool
}

// send applies the acts of a delivery at the service and records the answers, also when it returns
// an error. When ctx ends, it stops between two acts.
func (d *delivery) send(ctx context.Context, up versions.Upstream) error {
	s := &sending{delivery: d, up: up, waits: d.acts, movedAside: map[*hostedAct]bool{}}
	var end context.CancelFunc
	s.whole, end = redact.Outlasting(ctx, redact.GraceTime)
	defer end()
	for _, a := range d.acts {
		if a.sent.Live() {
			s.at.Put(a.sent.Path, a)
		}
	}
	err := s.all(ctx)
	for _, a := range s.waits {
		d.left = append(d.left, a.path())
		if s.movedAside[a] {
			d.aside = append(d.aside, a.sent.Path)
		}
	}
	return err
}

func (s *sending) all(ctx context.Context) error {
	for len(s.waits) > 0 {
		before := len(s.waits)
		if err := s.pass(ctx, func(a *hostedAct) bool { return !a.gone && s.free(a) }); err != nil {
			return err
		}
		if len(s.waits) < before {
			continue
		}
		if err := s.pass(ctx, s.freeing()); err != nil {
			return err
		}
		if len(s.waits) == before {
			if err := s.breakCycle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass applies those of the waiting acts that may allows.
func (s *sending) pass(ctx context.Context, may func(*hostedAct) bool) error {
	var waits []*hostedAct
	for i, a := range s.waits {
		if !may(a) {
			waits = append(waits, a)
			continue
		}
		if err := s.do(ctx, a); err != nil {
			s.waits = append(waits, s.waits[i:]...)
			return err
		}
	}
	s.waits = waits
	return nil
}

// free reports whether no waiting memory blocks the target path of an act. A memory that would
// overlap itself needs a temporary path first.
func (s *sending) free(a *hostedAct) bool {
	if a.sent.Live() && !a.moves() {
		return true
	}
	overlaps := a.sent.Live() && (a.to.In(a.sent.Path) || a.sent.Path.In(a.to))
	return !overlaps && s.at.Free(a.to, a.sent.Path)
}

// freeing selects the deletions that free a path for others, and all deletions when nothing else is
// left.
func (s *sending) freeing() func(*hostedAct) bool {
	inWay, only := map[*hostedAct]bool{}, true
	for _, a := range s.waits {
		if a.gone {
			continue
		}
		only = false
		inWay[s.at.Above(a.to)] = true
		for _, b := range s.at.In(a.to) {
			inWay[b] = true
		}
	}
	return func(a *hostedAct) bool { return a.gone && (only || inWay[a]) }
}

// breakCycle moves one memory of a cycle to a temporary path.
func (s *sending) breakCycle() error {
	for _, a := range s.waits {
		if a.gone || !a.sent.Live() || s.movedAside[a] {
			continue
		}
		s.movedAside[a] = true
		p, err := memfs.Root.Join("aside-" + ids.Text.EncodeToString(ids.New())) // no name of memend's own: a memend service refuses those
		if err != nil {
			return err
		}
		aside := &hostedAct{sent: a.sent, to: p, sha: a.sent.SHA256}
		m, err := s.request(aside)
		if err != nil {
			return err
		}
		s.made[m.Version] = aside
		s.at.Remove(a.sent.Path)
		a.sent.Path = p
		s.at.Put(p, a)
		return nil
	}
	return errors.New("the memories stand in each other's way")
}

// do applies one act.
func (s *sending) do(ctx context.Context, a *hostedAct) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	versions.ReportProgress(ctx, versions.Progress{Done: len(s.done), Total: len(s.acts), Of: versions.MemoriesSent})
	m, err := s.request(a)
	switch {
	case err == nil:
		s.add(a, m)
	case a.gone && errors.Is(err, versions.ErrNoMemory): // somebody else deleted it: nothing to do
	default:
		return err
	}
	s.at.Remove(a.sent.Path)
	return nil
}

// request sends one act.
func (s *sending) request(a *hostedAct) (versions.HostedMemory, error) {
	if a.gone {
		return versions.HostedMemory{ID: string(a.sent.id), Path: a.sent.Path.String()}, s.up.Delete(s.whole, a.sent.id, a.sent.SHA256)
	}
	if !a.sent.Live() {
		return s.up.Create(s.whole, a.to, versions.NonNil(a.content))
	}
	var to memfs.Path
	if a.moves() {
		to = a.to
	}
	var content []byte
	if a.changes() {
		content = versions.NonNil(a.content)
	}
	return s.up.Update(s.whole, a.sent.id, a.sent.SHA256, to, content)
}
