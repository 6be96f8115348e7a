package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/redact"
)

// Pull updates the replica of a hosted store from its service, and lets the service finish redactions
// that it could not be asked for before. Versions that the service has dropped since stay.
func Pull(ctx context.Context, s *core.Store, o versions.PullOptions) (versions.Pulled, error) {
	return ReplicaOf(s).exchange(ctx, o)
}

func (s *replica) exchange(ctx context.Context, o versions.PullOptions) (versions.Pulled, error) {
	release, err := s.LockUpstream(ctx)
	if err != nil {
		return versions.Pulled{}, err
	}
	defer release()
	got, err := s.readAll(ctx, o)
	if err == nil {
		err = s.push(ctx, &got)
	}
	if err == nil {
		err = s.finishUpstream(ctx)
	}
	return got.Pulled, err
}

// readAll updates the replica from its service. The caller holds the upstream lock.
func (s *replica) readAll(ctx context.Context, o versions.PullOptions) (pulled, error) {
	got, err := s.pull(ctx, pulling{PullOptions: o})
	if err != nil || !o.Full && !o.Compare && !got.first && !got.NoHistory {
		return got, err
	}
	if err = s.reconcile(ctx, &got); err == nil {
		err = s.refreshDescription(ctx)
	}
	if err == nil {
		s.noteCompared()
	}
	return got, err
}

// readBefore reads the service before a write in three cases: when the store was never read, because
// nobody knows what the write would replace; when the service has no history, because it may
// have no preconditions either; and when an earlier write was interrupted, because it may have been done.
func (s *replica) readBefore(ctx context.Context) error {
	read := comparedOnce(s.Trail, s.Opened.ID)
	if read && !s.lacksHistory() && !s.WasInterrupted() {
		return nil
	}
	_, err := s.readAll(ctx, versions.PullOptions{Full: !read})
	if err != nil && !read {
		err = fmt.Errorf("store %s was never read from its service, so nothing is written there: %w", s.Opened.Name, err)
	}
	return err
}

// refreshDescription requests the service's description of the store.
func (s *replica) refreshDescription(ctx context.Context) error {
	about, err := s.Service.About(ctx)
	if err != nil {
		return err
	}
	return noteHosted(ctx, s.Trail, s.Opened.ID, about)
}

// pulling is a pull with its purpose.
type pulling struct {
	versions.PullOptions
	ours   *delivery         // what the service did for a caller here
	memory versions.MemoryID // only changes of this memory
}

type pulled struct {
	versions.Pulled
	own   versions.Change // the caller's mutation
	first bool            // nothing was known of the store before
}

// add adds the result of another pull.
func (p *pulled) add(o pulled) {
	p.Versions += o.Versions
	p.Redacted += o.Redacted
	p.Skipped = append(p.Skipped, o.Skipped...)
	if o.own.Number > 0 {
		p.own = o.own
	}
}

const (
	FirstPage  = 20 // versions in the first request: usually there is nothing new
	Overlap    = 10 // after this many known versions in a row, older versions are assumed to be known
	laterPages = 100
	ChunkItems = 200 // versions in one commit: an interrupted pull continues after the last commit
	chunkSize  = 16 << 20
)

// maxHostedSize is how large a memory of a service may be.
const maxHostedSize = int64(versions.DefaultMaxBytes)

// maxIdlePages is how many pages in a row may list nothing new: the last page of some services says
// that there is another one.
const maxIdlePages = 20

// pull requests what is new from the service and stores it. The caller holds the upstream lock.
func (s *replica) pull(ctx context.Context, p pulling) (pulled, error) {
	var got pulled
	last, err := s.LastChange(ctx)
	if err != nil {
		return got, err
	}
	got.first = last == 0
	if p.ours == nil {
		if p.ours, err = s.interrupted(); err != nil {
			return got, err
		}
	}
	if err = s.pullInto(ctx, p, &got); errors.Is(err, versions.ErrNoStore) {
		err = fmt.Errorf("store %s: %w: %w", s.Opened.Name, versions.ErrGoneUpstream, err)
	}
	if ctx.Err() == nil || err == nil {
		s.noteAnswer(err)
	}
	if err == nil {
		s.markUpToDate()
		if p.ours != nil && !p.ours.background {
			s.noteRecorded(p.ours)
		}
		err = s.noteHistory(got.NoHistory)
	}
	return got, err
}

// waitsForOwn holds the pauses before the requests for a version that the service just made but
// does not list yet.
var waitsForOwn = []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, time.Second}

func (s *replica) pullInto(ctx context.Context, p pulling, got *pulled) error {
	l, err := s.listNew(ctx, p)
	for _, wait := range waitsForOwn {
		if err != nil || p.ours == nil || l.has(p.ours) {
			break
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		l, err = s.listNew(ctx, p)
	}
	if err != nil {
		return err
	}
	if p.ours != nil && p.ours.unsure {
		p.ours.recognize(l.fresh)
	}
	l.addLocal(p.ours)
	if p.memory == "" {
		got.Listed, got.NoHistory = l.listed, l.none
	}
	done, total := 0, len(l.fresh)
	for changes := range l.chunks(p.ours) {
		n := 0
		for _, a := range changes {
			n += len(a.versions)
		}
		if err := s.pullChunk(ctx, changes, got, func(n int) {
			versions.ReportProgress(ctx, versions.Progress{Done: done + n, Total: total, Of: versions.VersionsRead})
		}); err != nil {
			return err
		}
		done += n
		versions.ReportProgress(ctx, versions.Progress{Done: done, Total: total, Of: versions.VersionsRead})
	}
	return s.eraseToo(ctx, l.erased, got)
}

// pullChunk loads the contents of a group of changes and stores it. fetched is called with the
// number of loaded contents.
func (s *replica) pullChunk(ctx context.Context, changes []arrival, got *pulled, fetched func(n int)) error {
	var need []*versions.HostedVersion
	for _, a := range changes {
		for i := range a.versions {
			if v := &a.versions[i].HostedVersion; v.Operation != versions.Deleted && v.Redacted.IsZero() && v.Content == nil {
				need = append(need, v)
			}
		}
	}
	if err := s.fetch(ctx, need, fetched); err != nil {
		return err
	}
	for i := range changes {
		if err := changes[i].parse(got); err != nil {
			return err
		}
	}
	t, err := s.receive(context.WithoutCancel(ctx), changes) // keep what was loaded
	if errors.Is(err, errOnePath) {
		err = versions.AsInvalidResponse("%w", err)
	}
	got.add(t)
	return err
}

// parse validates the versions of a change, and removes those that can't be stored here.
func (a *arrival) parse(got *pulled) error {
	var kept []incoming
	for _, v := range a.versions {
		err := v.parse()
		if skip := (*skipError)(nil); errors.As(err, &skip) {
			got.Skipped = append(got.Skipped, versions.Skipped{Memory: v.Memory, Path: v.Path, Err: skip.err})
			continue
		}
		if err != nil {
			return err
		}
		kept = append(kept, v)
	}
	a.versions = kept
	return nil
}

// requestOf returns the request that a change of one version corresponds to. Only the receiver can
// recognize a rename.
func requestOf(v *incoming) core.Request {
	a := core.Request{Kind: versions.KindEdit}
	a.Path, _ = memfs.ParsePath(v.Path) // another check reports an invalid path
	switch v.Operation {
	case versions.Created:
		a.Kind = versions.KindCreate
	case versions.Deleted:
		a.Kind = versions.KindDelete
	}
	return a
}

// eraseToo erases here what the service has erased since it was stored here, except what stands: a service
// erases no current version.
func (s *replica) eraseToo(ctx context.Context, erased []versions.HostedVersion, got *pulled) error {
	byWhom := map[versions.Actor][]versions.VersionID{}
	for _, v := range erased {
		var stands bool
		if err := s.Trail.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM version v JOIN head h ON h.memory=v.memory AND h.version=v.id WHERE v.uid=?)`, ids.Parse(ids.VersionPrefix, v.ID)).Scan(&stands); err != nil {
			return err
		}
		if stands {
			continue
		}
		by := cmp.Or(v.RedactedBy, someKey)
		if !versions.Sane(by.Name) {
			return versions.AsInvalidResponse("version %s: the name of who erased it is too long or not UTF-8", v.ID)
		}
		byWhom[by] = append(byWhom[by], versions.VersionID(v.ID))
	}
	for by, ids := range byWhom {
		plan, err := redact.Prepare(ctx, s.Store, versions.RedactTarget{Versions: ids})
		if err != nil {
			return err
		}
		r, err := redact.DoHere(ctx, s.Store, versions.By{Actor: by}, plan, core.Sibling{})
		if err != nil && r.ID == 0 {
			return fmt.Errorf("erase what the service has erased: %w", err)
		}
		got.Redacted += len(plan.Erase)
	}
	return nil
}
