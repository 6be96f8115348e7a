package replica

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// hostedAct is one request that changes one memory at the service.
type hostedAct struct {
	memory  int64         // row
	sent    sent          // the memory at the service; without a path it is to be created
	to      memfs.Path    // its path afterwards, unless it is deleted
	sha     versions.Hash // hash of its content afterwards
	content []byte        // its content afterwards
	gone    bool
	from    int   // the number of the version here that it was made from
	source  int64 // the version that the content is from, when a restore or an undo brings one back
}

// moves and changes report what an update of the memory changes.
func (a *hostedAct) moves() bool   { return a.sent.Live() && a.sent.Path != a.to }
func (a *hostedAct) changes() bool { return a.sha != a.sent.SHA256 }

// path returns the path that identifies an act: the memory's path afterwards, or its old path when
// it is deleted.
func (a *hostedAct) path() memfs.Path {
	if a.gone {
		return a.sent.Path
	}
	return a.to
}

// actOf returns the act that makes the service's memory equal to the wanted state. The service's
// state is that of the memory's versions below a number. The act is nil when there is nothing to do.
func actOf(x *core.Txn, memory int64, below int, want planning.State) (*hostedAct, error) {
	a := &hostedAct{memory: memory, to: want.Path, sha: want.SHA256, gone: !want.Live()}
	var err error
	if a.sent, err = sentOf(x, memory, below); err != nil {
		return nil, err
	}
	if !a.sent.Live() {
		a.sent = sent{}
	}
	if a.gone == !a.sent.Live() && !a.moves() && !a.changes() {
		return nil, nil
	}
	if a.gone {
		return a, nil
	}
	if a.content, err = tables.TextOf(x, want); err == nil && !utf8.Valid(a.content) {
		err = fmt.Errorf("%w: a hosted store keeps UTF-8 text only", versions.ErrInvalid)
	}
	return a, err
}

// delivery is a group of acts for the service, and what the service did of them. A mutation by a
// caller here is one delivery; so is what redactions changed without the service.
type delivery struct {
	by         versions.By
	asked      core.Request
	undone     []int64
	accepts    *core.Acceptance // the held change that it accepts
	acts       []*hostedAct
	local      []incoming // versions that the service need not make; see keep
	background bool       // nobody waits for it
	unsure     bool       // the service may have done acts without an answer; see recognize

	made    map[string]*hostedAct // the acts that made versions there; see answerKey
	answers []sentVersion
	done    []memfs.Path // paths of the acts that were applied
	left    []memfs.Path // paths of the acts that were not applied
	aside   []memfs.Path // where memories of these are meanwhile, that were moved out of the way
}

// sentVersion is the version that an act made, according to the service's answer to it.
type sentVersion struct {
	versions.HostedVersion
	act *hostedAct
}

// answerKey identifies a version among those that a delivery made. Nobody is told the id of a
// deletion's version.
func answerKey(v *versions.HostedVersion) string {
	if v.Operation == versions.Deleted {
		return "deleted " + v.Memory
	}
	return v.ID
}

// has reports whether the delivery made a version, and returns the act that did.
func (d *delivery) has(v *versions.HostedVersion) (*hostedAct, bool) {
	if d == nil {
		return nil, false
	}
	a, ok := d.made[answerKey(v)]
	return a, ok
}

// add records the service's answer to an act.
func (d *delivery) add(a *hostedAct, m versions.HostedMemory) {
	v := versions.HostedVersion{ID: m.Version, Memory: m.ID, Operation: versions.Modified, Path: m.Path, SHA256: m.SHA256, Time: m.Updated}
	switch {
	case a.gone:
		v.Operation = versions.Deleted
	case !a.sent.Live():
		v.Operation = versions.Created
	}
	d.made[answerKey(&v)] = a
	d.answers = append(d.answers, sentVersion{v, a})
	d.done = append(d.done, a.path())
}

// keep adds a version of the mutation for which the service has nothing to do: it has the memory in
// this state, or never had a memory that is deleted now.
func (d *delivery) keep(x *core.Txn, v *core.VersionRow) error {
	var muid []byte
	if err := x.Row(`SELECT uid FROM memory WHERE id=?`, v.Memory).Scan(&muid); err != nil {
		return err
	}
	h := versions.HostedVersion{ID: ids.Format(ids.VersionPrefix, ids.NewUnsent()), Memory: ids.Format(ids.MemoryPrefix, muid),
		Operation: v.Op, Path: v.Path.String(), SHA256: v.Facts.SHA, Time: x.Store.Trail.Now()}
	var err error
	if v.Op != versions.Deleted {
		h.Content, err = blobs.Get(x, v.Blob)
	}
	d.local = append(d.local, incoming{HostedVersion: h, from: v.Number - 1})
	return err
}

// readUpstream asks the service for memories whose last version there is erased here, and drops
// deletions of memories that the service no longer has.
func (s *replica) readUpstream(ctx context.Context, d *delivery) error {
	var acts []*hostedAct
	for _, a := range d.acts {
		if !a.sent.Redacted {
			acts = append(acts, a)
			continue
		}
		m, err := s.Service.Memory(ctx, a.sent.id)
		switch {
		case errors.Is(err, versions.ErrNoMemory):
			if a.sent = (sent{}); a.gone {
				continue
			}
		case err != nil:
			return err
		case !s.lacksHistory() && !s.knows(ctx, m.Version):
			return &versions.HostedConflict{Memory: m.ID, Path: m.Path, Err: fmt.Errorf("memory %s was changed at the service", a.sent.id)}
		default:
			p, err := memfs.ParsePath(m.Path)
			if err != nil {
				return versions.AsInvalidResponse("memory %s: path %.80q", a.sent.id, m.Path)
			}
			a.sent.State = planning.State{Path: p, SHA256: m.SHA256, Size: m.Size}
		}
		acts = append(acts, a)
	}
	d.acts = acts
	return nil
}

// inPlace merges a deletion and a creation at the same path into one update. As two requests, the
// service would assign another id, and for a moment have neither memory.
func (d *delivery) inPlace() {
	leaving := map[memfs.Path]*hostedAct{}
	for _, a := range d.acts {
		if a.gone {
			leaving[a.sent.Path] = a
		}
	}
	var acts []*hostedAct
	for _, a := range d.acts {
		if old := leaving[a.to]; old != nil && !a.gone && !a.sent.Live() {
			a.sent = old.sent
			delete(leaving, a.to)
		}
	}
	for _, a := range d.acts {
		if a.gone && leaving[a.sent.Path] == a || !a.gone && (!a.sent.Live() || a.moves() || a.changes()) {
			acts = append(acts, a)
		}
	}
	d.acts = acts
}
