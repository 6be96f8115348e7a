package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/review"
)

// maxMade is how many unreviewed versions of a store are read.
const maxMade = 2000

type unreviewedJSON struct {
	StoreID   string `json:"memory_store_id"`
	Path      string `json:"path"`
	MemoryID  string `json:"memory_id"`
	Operation string `json:"operation"`
	Versions  int    `json:"versions"`
	VersionID string `json:"memory_version_id"`
	authorJSON
	Change int64      `json:"change"`
	State  string     `json:"state"`
	Reason string     `json:"reason,omitempty"`
	Hunks  []hunkJSON `json:"hunks"`
}

// listMade prints what others have changed since the last review and is in effect, as the review queue of the screens lists it:
// below who wrote it, the greatest risk first. It returns how many memories that are.
func listMade(ctx context.Context, p *console, s *engine.Store, f versions.HeldFilter) (n int, err error) {
	acts, err := actsToReview(ctx, s, f.Session)
	for _, a := range acts {
		if !p.json {
			p.println("%s", p.safe(actHeading(a)))
		}
		for _, m := range a.Memories {
			if err := printWritten(ctx, p, s, m, f.Session); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, err
}

// actsToReview returns what others changed since the last review, the greatest risk first; with a session, the memories with hunks that
// it wrote.
func actsToReview(ctx context.Context, s *engine.Store, session versions.SessionID) ([]*review.Act, error) {
	_, made, err := unreviewedOf(ctx, s, session)
	if err != nil {
		return nil, err
	}
	acts, err := review.Weighed(ctx, s, me(), made, session)
	if session == "" {
		return acts, err
	}
	for _, a := range acts {
		a.Memories = slices.DeleteFunc(a.Memories, func(m *review.Written) bool {
			u, failed := undecidedBy(ctx, s, m.Last().Memory, session)
			err = cmp.Or(err, failed)
			return len(u.hunks) == 0
		})
	}
	return slices.DeleteFunc(acts, func(a *review.Act) bool { return len(a.Memories) == 0 }), err
}

// undecidedBy returns a memory with its hunks, or those that a session wrote.
func undecidedBy(ctx context.Context, s *engine.Store, m versions.MemoryID, session versions.SessionID) (u undecided, err error) {
	if u.of, err = review.PendingOf(ctx, s, m, me()); err != nil {
		return u, err
	}
	if u.hunks = u.of.Hunks(); session == "" {
		return u, nil
	}
	by, err := review.Writers(ctx, s, u.of)
	all := u.hunks
	u.hunks = nil
	for i := range by {
		if slices.ContainsFunc(by[i], func(v versions.Version) bool { return v.Session == session }) {
			u.hunks = append(u.hunks, all[i])
		}
	}
	return u, err
}

// actHeading says who changed how many memories.
func actHeading(a *review.Act) string {
	session := ""
	if a.Session != "" {
		session = ", session " + string(a.Session)
	}
	return actorName(a.Actor, a.Inferred) + " changed " + plural(len(a.Memories), "memory") + session
}

func printWritten(ctx context.Context, p *console, s *engine.Store, m *review.Written, session versions.SessionID) error {
	v := m.Last()
	u, err := undecidedBy(ctx, s, v.Memory, session)
	if err != nil {
		return err
	}
	d := u.of.Diff()
	if p.json {
		j := unreviewedJSON{string(s.Info().ID), m.Path().Tool(), string(v.Memory), string(v.Operation), len(m.Made), string(v.ID), authorOf(v), v.Change, "applied", m.Why, []hunkJSON{}}
		for _, h := range u.hunks {
			j.Hunks = append(j.Hunks, hunkOf(&u.of, d, h))
		}
		p.emit(j)
		return nil
	}
	more := ""
	if len(m.Made) > 1 {
		more = "  in " + plural(len(m.Made), "version")
	}
	if why := whyOf(m); why != "" {
		more += "  " + why
	}
	p.tableLine(fmt.Sprintf("change %-4d %s  %-8s ", v.Change, when(v.Time), wording.Did(v)), p.toolPath(m.Path()), more)
	for _, h := range u.hunks {
		printHunk(p, &u.of, d, h)
	}
	return nil
}

// whyOf says why a memory is where it is in the queue. What a session took in second hand is marked as such.
func whyOf(m *review.Written) string {
	if in := m.Inputs(); m.Risk == review.FromAway && in != 0 {
		return "after " + in.String()
	}
	return m.Why
}

// unreviewedOf returns what is to be reviewed, and the versions of it by others, the newest first; with a session, of the memories that
// it changed.
func unreviewedOf(ctx context.Context, s *engine.Store, session versions.SessionID) (all toReview, made []versions.Version, err error) {
	if all, err = memoriesToReview(ctx, s); err != nil || len(all.memories) == 0 {
		return all, nil, err
	}
	made, err = review.Unreviewed(ctx, s, me(), maxMade)
	changed := map[versions.MemoryID]bool{}
	for _, v := range made {
		changed[v.Memory] = changed[v.Memory] || session == "" || v.Session == session
	}
	return all, slices.DeleteFunc(made, func(v versions.Version) bool { return !changed[v.Memory] || !all.memories[v.Memory] }), err
}

// toReview is what is to be reviewed of a store: what the screens count.
type toReview struct {
	entries  []versions.Entry           // of the whole tree
	memories map[versions.MemoryID]bool // deleted ones too
	deleted  int                        // of them
	others   int                        // files that are not memories
}

func memoriesToReview(ctx context.Context, s *engine.Store) (all toReview, err error) {
	me := me()
	reviewed, err := review.ReviewState(ctx, s)
	if err != nil {
		return all, err
	}
	if all.entries, err = history.Tree(ctx, s); err != nil {
		return all, err
	}
	all.memories = map[versions.MemoryID]bool{}
	for i := range all.entries {
		e := &all.entries[i]
		if e.Kind != versions.Memory {
			all.others++
			continue
		}
		changed := reviewed.IsUnreviewed(e.Memory, e.Change)
		if changed && e.Actor == me {
			if changed, err = review.HasUnreviewedChanges(ctx, s, e, reviewed.UpTo(e.Memory), me); err != nil {
				return all, err
			}
		}
		if changed {
			all.memories[e.Memory] = true
		}
	}
	deleted, err := review.UnreviewedDeletions(ctx, s, me)
	for _, e := range deleted {
		all.memories[e.Memory] = true
	}
	all.deleted = len(deleted)
	return all, err
}
