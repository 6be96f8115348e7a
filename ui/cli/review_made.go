package cli

import (
	"context"
	"fmt"

	"github.com/memend/memend/ui/actors"
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
	Hunks  []hunkJSON `json:"hunks"`
}

// made is what others did to a memory and nobody has reviewed.
type made struct {
	newest   versions.Version
	versions int
}

// listMade prints what others have changed since the last review and is in effect, the newest first, and
// returns how many memories that are.
func listMade(ctx context.Context, p *console, s *engine.Store, f versions.HeldFilter) (int, error) {
	_, all, err := unreviewedOf(ctx, s, f.Session)
	if err != nil {
		return 0, err
	}
	for _, m := range all {
		v := m.newest
		of, err := review.PendingOf(ctx, s, v.Memory, me())
		if err != nil {
			return 0, err
		}
		d := of.Diff()
		if p.json {
			j := unreviewedJSON{string(s.Info().ID), v.Path.Tool(), string(v.Memory), string(v.Operation), m.versions, string(v.ID), authorOf(v), v.Change, "applied", []hunkJSON{}}
			for _, h := range of.Hunks() {
				j.Hunks = append(j.Hunks, hunkOf(&of, d, h))
			}
			p.emit(j)
			continue
		}
		more := ""
		if m.versions > 1 {
			more = "  in " + plural(m.versions, "version")
		}
		p.tableLine(fmt.Sprintf("change %-4d %s  %-16s  %-8s ", v.Change, when(v.Time), p.safe(actors.Name(v.Actor)), wording.Did(v)), p.toolPath(v.Path), more+afterInputs(v.Inputs))
		for _, h := range of.Hunks() {
			printHunk(p, &of, d, h)
		}
	}
	return len(all), nil
}

// unreviewedOf returns what is to be reviewed, and lists of it, the newest first, what others, or one session of
// them, did.
func unreviewedOf(ctx context.Context, s *engine.Store, session versions.SessionID) (all toReview, out []made, err error) {
	if all, err = memoriesToReview(ctx, s); err != nil || len(all.memories) == 0 {
		return all, nil, err
	}
	vs, err := review.Unreviewed(ctx, s, me(), maxMade)
	if err != nil {
		return all, nil, err
	}
	at := map[versions.MemoryID]int{}
	for _, v := range vs {
		if !all.memories[v.Memory] || session != "" && v.Session != session {
			continue
		}
		i, ok := at[v.Memory]
		if !ok {
			i, at[v.Memory] = len(out), len(out)
			out = append(out, made{newest: v})
		}
		out[i].versions++
	}
	return all, out, nil
}

// toReview is what is to be reviewed of a store: what the screens count.
type toReview struct {
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
	entries, err := history.Tree(ctx, s)
	if err != nil {
		return all, err
	}
	all.memories = map[versions.MemoryID]bool{}
	for i := range entries {
		e := &entries[i]
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
