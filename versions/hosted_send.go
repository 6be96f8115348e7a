package versions

import (
	"context"
	"errors"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// sending applies the acts of one mutation at the service, one after another, in an order in which
// no two memories ever conflict. First it applies the acts whose target path is free, and then the
// deletions that free a path for others. When several memories wait for each other in a cycle, one
// of them moves to a temporary path. Deletions that block nothing come last.
type sending struct {
	up     Upstream
	whole  context.Context // for a request, which must not be canceled in the middle
	all    int
	left   []*hostedAct
	at     map[memfs.Path]*hostedAct // current paths of the remaining memories
	below  map[memfs.Path]int        // how many of them are below each folder
	done   *share
	asided map[*hostedAct]bool
}

// graceTime is how long a canceled caller still waits for an answer, so that the outcome of a
// request that was already sent is known.
var graceTime = 3 * time.Second

// outlasting returns a context that ends some time after ctx does.
func outlasting(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		late := time.NewTimer(d)
		defer late.Stop()
		select {
		case <-late.C:
			end()
		case <-longer.Done():
		}
	})
	return longer, func() { forget(); end() }
}

// share is what the service did for a mutation: it identifies the caller's versions.
type share struct {
	by      By
	asked   request
	undone  []int64
	made    map[string]*hostedAct // by the ids of versions
	deleted map[string]bool       // by the ids of memories
	told    []toldVersion         // the service's answers to the acts
	acts    int
	done    []memfs.Path // paths of the applied acts
	left    []memfs.Path // paths of the acts that were not applied
}

// toldVersion is the version that an act made, according to the service's answer.
type toldVersion struct {
	HostedVersion
	act *hostedAct
}

// path returns the path that identifies an act: the memory's path afterwards, or its old path when
// it is deleted.
func (a *hostedAct) path() memfs.Path {
	if a.gone {
		return a.sent.path
	}
	return a.to
}

func newShare(by By, r *rehearsal) *share {
	return &share{by: by, asked: r.asked, undone: r.undone, made: map[string]*hostedAct{}, deleted: map[string]bool{}}
}

// has reports whether a version is the caller's, and returns the act that made it.
func (o *share) has(v *HostedVersion) (*hostedAct, bool) {
	if o == nil {
		return nil, false
	}
	if v.Operation == Deleted {
		return nil, o.deleted[v.Memory]
	}
	a, ok := o.made[v.ID]
	return a, ok
}

// add records the service's answer to an act.
func (o *share) add(a *hostedAct, m HostedMemory) {
	o.made[m.Version] = a
	v := HostedVersion{ID: m.Version, Memory: m.ID, Operation: Modified, Path: m.Path, SHA256: m.SHA256, Time: m.Updated}
	if !a.sent.live() {
		v.Operation = Created
	}
	o.told = append(o.told, toldVersion{v, a})
}

// send applies acts at the service. done lists what was applied, also after an error. When ctx
// ends, send stops between two acts.
func send(ctx context.Context, up Upstream, acts []*hostedAct, done *share) (err error) {
	s := &sending{up: up, all: len(acts), left: acts, at: map[memfs.Path]*hostedAct{}, below: map[memfs.Path]int{}, done: done, asided: map[*hostedAct]bool{}}
	defer func() {
		if err != nil {
			for _, a := range s.left {
				done.left = append(done.left, a.path())
			}
		}
	}()
	var end context.CancelFunc
	s.whole, end = outlasting(ctx, graceTime)
	defer end()
	for _, a := range acts {
		if a.sent.live() {
			s.stand(a, 1)
		}
	}
	for len(s.left) > 0 {
		before := len(s.left)
		if err := s.pass(ctx, func(a *hostedAct) bool { return !a.gone && s.free(a) }); err != nil {
			return err
		}
		if len(s.left) < before {
			continue
		}
		if err := s.pass(ctx, s.clears()); err != nil {
			return err
		}
		if len(s.left) == before {
			if err := s.stepAside(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// stand records that a memory is at its path, or with -1 that it is not.
func (s *sending) stand(a *hostedAct, n int) {
	p := a.sent.path
	if s.at[p] = a; n < 0 {
		delete(s.at, p)
	}
	for dir := p.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		s.below[dir] += n
	}
}

// pass applies those of the remaining acts that may allows.
func (s *sending) pass(ctx context.Context, may func(*hostedAct) bool) error {
	var left []*hostedAct
	for i, a := range s.left {
		if !may(a) {
			left = append(left, a)
			continue
		}
		if err := s.do(ctx, a); err != nil {
			s.left = append(left, s.left[i:]...)
			return err
		}
	}
	s.left = left
	return nil
}

// free reports whether no remaining memory blocks the target path of an act.
func (s *sending) free(a *hostedAct) bool {
	if a.sent.live() && !a.moves() {
		return true
	}
	other := func(p memfs.Path) bool { return s.at[p] != nil && s.at[p] != a }
	if other(a.to) {
		return false
	}
	below := s.below[a.to]
	if a.sent.live() && a.sent.path.In(a.to) && a.sent.path != a.to {
		below-- // itself
	}
	if below > 0 || a.sent.live() && (a.to.In(a.sent.path) || a.sent.path.In(a.to)) {
		return false // it would overlap itself: use a temporary path first
	}
	for dir := a.to.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		if other(dir) {
			return false
		}
	}
	return true
}

// clears selects the deletions that free a path for others, and all deletions when nothing else is
// left.
func (s *sending) clears() func(*hostedAct) bool {
	inWay, only := map[*hostedAct]bool{}, true
	for _, a := range s.left {
		if a.gone {
			continue
		}
		only = false
		for dir := a.to; !dir.IsRoot(); dir = dir.Dir() {
			if s.at[dir] != nil {
				inWay[s.at[dir]] = true
			}
		}
		if s.below[a.to] > 0 {
			for p, b := range s.at {
				if p.In(a.to) {
					inWay[b] = true
				}
			}
		}
	}
	return func(a *hostedAct) bool { return a.gone && (only || inWay[a]) }
}

// stepAside moves one memory of a cycle to a temporary path.
func (s *sending) stepAside(ctx context.Context) error {
	for _, a := range s.left {
		if a.gone || !a.sent.live() || s.asided[a] {
			continue
		}
		s.asided[a] = true
		p, err := memfs.Root.Join(".memend-aside-" + ids.Text.EncodeToString(ids.New()))
		if err != nil {
			return err
		}
		m, err := s.up.Update(s.whole, a.sent.id, a.sent.sha, p, nil)
		if err != nil {
			return err
		}
		s.stand(a, -1)
		s.done.made[m.Version] = &hostedAct{sent: a.sent, to: p, sha: a.sent.sha}
		a.sent.path = p
		s.stand(a, 1)
		return nil
	}
	return errors.New("the memories stand in each other's way")
}

// do applies one act at the service.
func (s *sending) do(ctx context.Context, a *hostedAct) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ReportProgress(ctx, Progress{s.done.acts, s.all, MemoriesSent})
	var m HostedMemory
	var err error
	switch {
	case a.gone:
		err = s.up.Delete(s.whole, a.sent.id, a.sent.sha)
		if errors.Is(err, ErrNoMemory) { // already deleted by somebody else: nothing to do
			s.stand(a, -1)
			return nil
		}
		if err == nil {
			s.done.deleted[string(a.sent.id)] = true
			s.done.told = append(s.done.told, toldVersion{HostedVersion{Memory: string(a.sent.id), Operation: Deleted, Path: a.sent.path.String()}, a})
		}
	case !a.sent.live():
		m, err = s.up.Create(s.whole, a.to, nonNil(a.content))
	default:
		var to memfs.Path
		if a.moves() {
			to = a.to
		}
		var content []byte
		if a.changes() {
			content = nonNil(a.content)
		}
		m, err = s.up.Update(s.whole, a.sent.id, a.sent.sha, to, content)
	}
	if err != nil {
		return err
	}
	s.done.acts++
	s.done.done = append(s.done.done, a.path())
	if !a.gone {
		s.done.add(a, m)
	}
	if a.sent.live() {
		s.stand(a, -1)
	}
	return nil
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
