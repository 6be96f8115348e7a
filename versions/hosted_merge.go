package versions

import (
	"context"
	"errors"
	"math"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
)

// When other programs and the service changed the same memory, the two are merged three-way, in the
// commit that stores the service's changes: whatever interrupts a pull, no text is left behind. A
// merged text is a version that the service does not have yet, and the next push sends it. On a
// conflict the service's text is current, and the text from here is held for review.

// conflictRule is the rule of held changes that come from such a conflict.
const conflictRule = "changed in the folder and at the service"

// arriving holds the texts of each memory that a pull brings, in all its commits.
type arriving map[string]map[Hash]bool

func arrivingIn(vs []incoming) arriving {
	out := arriving{}
	for _, v := range vs {
		if out[v.Memory] == nil {
			out[v.Memory] = map[Hash]bool{}
		}
		out[v.Memory][v.SHA256] = true
	}
	return out
}

// diverged holds what other programs made of a memory that the service changed too.
type diverged struct {
	local planning.State // zero: they deleted it
	base  planning.State // what they changed; zero: they created it
	sent  int            // number of the memory's newest version that the service has
}

// diverge begins a merge of m, whose newest version the service does not have.
func (r *receiver) diverge(m *received) error {
	base, err := r.x.sentOf(m.row, math.MaxInt)
	if err != nil {
		return err
	}
	m.diverged = &diverged{local: m.now, base: base.State}
	return r.x.Row(`SELECT coalesce(max(number),0) FROM version WHERE memory=? AND NOT `+isUnsent("uid"), m.row).Scan(&m.diverged.sent)
}

// rebase makes an arriving version the base of what other programs wrote since, if it was made from
// an earlier version here: a push or a caller sent it, and the file was changed again.
func (r *receiver) rebase(m *received, v *incoming) error {
	if v.from > 0 {
		base, err := r.stateAt(m.row, v.from)
		m.diverged.base = base
		return err
	}
	for row, err := range r.x.Each(`SELECT `+stateColumns+` FROM version v LEFT JOIN blob b ON b.id=v.blob
		WHERE v.memory=? AND v.number>? AND `+isUnsent("v.uid")+` ORDER BY v.number DESC`, m.row, m.diverged.sent) {
		var scan stateScan
		if err == nil {
			err = row.Scan(scan.dest()...)
		}
		if err != nil {
			return err
		}
		s, err := scan.state()
		if err != nil {
			return err
		}
		if v.Operation == Deleted && !s.Live() || v.Operation != Deleted && s.Live() && s.Path == v.path && s.SHA256 == v.SHA256 {
			m.diverged.base = s
			return nil
		}
	}
	return nil
}

// stateAt returns the state of a memory after the version with a number.
func (r *receiver) stateAt(memory int64, number int) (planning.State, error) {
	var scan stateScan
	if err := r.x.Row(`SELECT `+stateColumns+` FROM version v LEFT JOIN blob b ON b.id=v.blob WHERE v.memory=? AND v.number=?`, memory, number).Scan(scan.dest()...); err != nil {
		return planning.State{}, unlessNone(err)
	}
	return scan.state()
}

// merge merges what other programs wrote with what arrived.
func (r *receiver) merge() error {
	var c *changeRow
	for _, m := range r.order {
		if m.diverged == nil || m.diverged.local.Is(m.now) || r.theirs[m.id][m.diverged.local.SHA256] && m.diverged.local.Live() {
			continue
		}
		to, clean, err := r.merged(m)
		switch {
		case err != nil:
			return err
		case !clean:
			if err := r.holdConflict(m); err != nil {
				return err
			}
			r.got.Overruled = append(r.got.Overruled, m.diverged.path())
		case !to.Is(m.now):
			if err := r.keep(&c, m, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// path returns the path of what other programs wrote or deleted.
func (d *diverged) path() memfs.Path {
	if d.local.Live() {
		return d.local.Path
	}
	return d.base.Path
}

// merged returns the state that has the changes of both sides, if they don't conflict.
func (r *receiver) merged(m *received) (to planning.State, clean bool, err error) {
	ours, base, theirs := m.diverged.local, m.diverged.base, m.now
	switch {
	case m.hidden || base.Redacted || ours.Redacted || theirs.Redacted:
		return to, false, nil
	case !ours.Live() || !theirs.Live():
		switch {
		case ours.Is(base):
			return theirs, true, nil
		case theirs.Is(base) && theirs.Live():
			return ours, true, nil
		}
		return to, false, nil // one side deleted what the other one edited
	}
	text := [3][]byte{}
	for i, s := range []planning.State{base, ours, theirs} {
		if text[i], err = textOf(r.x, s); err != nil {
			return to, false, err
		}
	}
	merged := diff.Merge(text[0], text[1], text[2])
	if !merged.Clean() {
		return to, false, nil
	}
	at := theirs.Path
	if base.Live() && theirs.Path == base.Path && ours.Path != base.Path {
		free, err := r.free(ours.Path, m)
		if err != nil {
			return to, false, err
		}
		if free {
			at = ours.Path
		}
	}
	return planning.WithText(at, nonNil(merged.Text())), true, nil
}

// free reports whether no other memory is at a path, above it or below it.
func (r *receiver) free(p memfs.Path, but *received) (bool, error) {
	for _, m := range r.order {
		if m != but && m.now.Live() && (m.now.Path.In(p) || p.In(m.now.Path)) {
			return false, nil
		}
	}
	others, err := r.inWay(p)
	return len(others) == 0, err
}

// keep makes a merged state current. All of them are one change.
func (r *receiver) keep(c **changeRow, m *received, to planning.State) error {
	v := &incoming{HostedVersion: HostedVersion{Operation: Modified, SHA256: to.SHA256}, uid: ids.NewUnsent(), path: to.Path}
	if !to.Live() {
		v.Operation, v.path = Deleted, m.now.Path
	} else if text, err := textOf(r.x, to); err != nil {
		return err
	} else {
		v.Content = nonNil(text)
	}
	if *c == nil {
		var err error
		if *c, err = r.change(outside, request{kind: KindAdopt, path: v.path}, r.s.t.now()); err != nil {
			return err
		}
	}
	for !v.path.In((*c).path) {
		(*c).path = (*c).path.Dir()
	}
	if err := r.add(*c, v, m); err != nil {
		return err
	}
	m.unsent = true
	r.got.Versions-- // it did not come from the service
	r.got.Merged = append(r.got.Merged, v.path)
	return nil
}

// holdConflict holds what other programs made of a memory for review.
func (r *receiver) holdConflict(m *received) error {
	d := m.diverged
	h := &heldBack{by: By{Actor: outside.Actor, Door: DoorOutside}, asked: request{kind: KindEdit, path: d.path()}, rule: conflictRule}
	if !d.local.Live() {
		h.asked.kind = KindDelete
	} else if !d.base.Live() {
		h.asked.kind = KindCreate
	}
	n, err := r.x.addHeldRow(h)
	if err != nil {
		return err
	}
	var muid, text []byte
	if err := r.x.Row(`SELECT uid FROM memory WHERE id=?`, m.row).Scan(&muid); err != nil {
		return err
	}
	if d.local.Live() {
		if text, err = blobs.Get(r.x, d.local.Blob); err != nil {
			return err
		}
		text = nonNil(text)
	}
	return r.x.addHeldItem(n, 0, muid, null(d.base.Row), d.path(), !d.local.Live(), text)
}

// mergeInterrupted merges what another program wrote into files before a crashed process had brought
// them to the state that the trail has: that program had read the files of before. It can be repeated.
// The caller holds the lock and has adopted the files.
func (s *replica) mergeInterrupted(ctx context.Context, steps []step) error {
	for try := 1; ; try++ {
		err := s.mergeSteps(ctx, steps)
		if !errors.Is(err, errForeign) || try == maxTries {
			return err
		}
		if err := s.adoptSteps(ctx, steps); err != nil { // the files changed again meanwhile
			return err
		}
	}
}

func (s *replica) mergeSteps(ctx context.Context, steps []step) error {
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	r := &receiver{s: s.Store, x: x, memories: map[string]*received{}}
	if r.last, err = x.lastTime(); err != nil {
		return err
	}
	var c *changeRow
	for _, st := range steps {
		if st.old == (Hash{}) || st.new == (Hash{}) || st.op == memfs.OpRename {
			continue
		}
		if err := r.mergeStep(&c, st); err != nil {
			return err
		}
	}
	if len(r.changes) == 0 {
		return x.Commit()
	}
	d, err := r.finish()
	if err != nil {
		return err
	}
	return s.commitAndApply(ctx, d)
}

// mergeStep merges the file of one step that could not be done, because the file was another one.
func (r *receiver) mergeStep(c **changeRow, st step) error {
	h, err := r.x.head(st.path)
	if err != nil || !h.live() || h.sha == st.old || h.sha == st.new {
		return err
	}
	m := &received{row: h.memory}
	if err := r.load(m); err != nil {
		return err
	}
	state := func(sha Hash) (s planning.State, err error) {
		var scan stateScan
		err = r.x.Row(`SELECT `+stateColumns+` FROM version v JOIN blob b ON b.id=v.blob WHERE v.memory=? AND b.sha=? ORDER BY v.number DESC LIMIT 1`, m.row, sha[:]).Scan(scan.dest()...)
		if err != nil {
			return s, unlessNone(err)
		}
		return scan.state()
	}
	base, err := state(st.old)
	if err != nil {
		return err
	}
	ours := m.now
	if m.now, err = state(st.new); err != nil || !m.now.Live() || !base.Live() {
		return err
	}
	m.diverged = &diverged{local: ours, base: base}
	to, clean, err := r.merged(m)
	if err == nil && !clean {
		to = m.now
		err = r.holdConflict(m)
	}
	if m.now = ours; err != nil || to.Is(ours) {
		return err
	}
	r.order = append(r.order, m)
	return r.keep(c, m, to)
}
