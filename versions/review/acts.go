package review

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Act is what one session did, or somebody without one.
type Act struct {
	Actor    versions.Actor
	Inferred bool
	Session  versions.SessionID
	Memories []*Written
}

// Written is a memory that the act wrote.
type Written struct {
	Made []versions.Version // newest first; never empty
	Facts
}

// First returns the oldest of its versions.
func (w *Written) First() versions.Version { return w.Made[len(w.Made)-1] }

// Last returns the newest of its versions.
func (w *Written) Last() versions.Version { return w.Made[0] }

// Path returns where the memory is now, whoever renamed it, or was when it was deleted.
func (w *Written) Path() memfs.Path { return cmp.Or(w.At, w.Last().Path) }

// Inputs returns what the sessions that wrote it had taken in.
func (w *Written) Inputs() (all versions.Inputs) {
	for _, v := range w.Made {
		all |= v.Inputs
	}
	return all
}

// Acts groups unreviewed versions, newest first, by session, or else by who made them, with what is known of their memories: the
// greatest risk comes first. A memory, with all of its versions, is in the act that wrote what is to be decided last, because it is
// decided about as a whole.
func Acts(made []versions.Version, of map[versions.MemoryID]Facts) []*Act {
	listed := map[versions.MemoryID]bool{}
	made = slices.DeleteFunc(slices.Clone(made), func(v versions.Version) bool {
		by := of[v.Memory].By
		listed[v.Memory] = listed[v.Memory] || by == nil || slices.Contains(by, v.ID)
		return !listed[v.Memory]
	})
	acts := group(made, func(v versions.Version, _ string) string { return string(v.Memory) })
	for _, a := range acts {
		for _, m := range a.Memories {
			m.Facts = of[m.Last().Memory]
		}
		slices.SortStableFunc(a.Memories, func(x, y *Written) int {
			return cmp.Or(cmp.Compare(y.Risk, x.Risk), cmp.Compare(x.Path().String(), y.Path().String()))
		})
	}
	slices.SortStableFunc(acts, func(x, y *Act) int { return cmp.Compare(y.Memories[0].Risk, x.Memories[0].Risk) })
	return acts
}

// ActsEach groups versions for a report about what each session did: a memory that several changed is in the act of each.
func ActsEach(made []versions.Version) []*Act {
	return group(made, func(v versions.Version, act string) string { return act + "\x00" + string(v.Memory) })
}

// actOf names the act of a version.
func actOf(v versions.Version) string {
	if v.Session != "" {
		return "session " + string(v.Session)
	}
	return v.Actor.String()
}

func group(made []versions.Version, owned func(v versions.Version, act string) string) (out []*Act) {
	acts, owner := map[string]*Act{}, map[string]*Written{}
	for _, v := range made {
		key := actOf(v)
		own := owned(v, key)
		if w := owner[own]; w != nil {
			w.Made = append(w.Made, v)
			continue
		}
		a := acts[key]
		if a == nil {
			a = &Act{Actor: v.Actor, Inferred: v.Inferred, Session: v.Session}
			acts[key] = a
			out = append(out, a)
		}
		w := &Written{Made: []versions.Version{v}}
		owner[own] = w
		a.Memories = append(a.Memories, w)
	}
	return out
}

// SortHeld puts held changes in the order in which they are to be decided: first those of sessions that had taken in something from
// outside, then the newest.
func SortHeld(hs []versions.Held) {
	slices.SortFunc(hs, func(a, b versions.Held) int {
		return cmp.Or(cmp.Compare(min(b.Inputs, 1), min(a.Inputs, 1)), cmp.Compare(b.Number, a.Number))
	})
}

// MaxWeighed is how many memories of a queue are read, which takes a fifth of a millisecond each. The others count as those
// without a risk, unless it is known without their text.
const MaxWeighed = 500

// Facts are what is to be decided of a memory.
type Facts struct {
	Decided        bool
	Hunks          int
	Added, Removed int                  // lines
	At             memfs.Path           // where it is now, or was when it was deleted
	By             []versions.VersionID // those that wrote its hunks; nil: all did, or it is not known
	Reason
}

// Weigh reads what is to be decided of the memories of unreviewed versions, newest first.
func Weigh(ctx context.Context, s *core.Store, me versions.Actor, made []versions.Version) (map[versions.MemoryID]Facts, error) {
	pinned, err := PinnedIn(ctx, s)
	if err != nil {
		return nil, err
	}
	of := map[versions.MemoryID][]versions.Version{}
	for _, v := range made {
		of[v.Memory] = append(of[v.Memory], v)
	}
	out := make(map[versions.MemoryID]Facts, len(of))
	return out, core.View(ctx, s.Trail, func(q tables.Reader) error {
		for _, v := range made {
			if _, known := out[v.Memory]; known {
				continue
			}
			f, p, failed, by, read := Facts{}, Pending{}, error(nil), of[v.Memory], len(out) < MaxWeighed
			if read {
				p, failed = pendingIn(s, q, v.Memory, 0, me)
			}
			if failed == nil && read {
				d := p.Diff()
				f.Decided, f.Hunks, f.Added, f.Removed = p.Decided(), len(p.Hunks()), d.Added, d.Removed
				if by = writersOf(ctx, s, p, by); len(by) < len(of[v.Memory]) {
					for _, v := range by {
						f.By = append(f.By, v.ID)
					}
				}
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if f.At, err = pathOf(q, v.Memory); err != nil {
				return err
			}
			if f.Reason = pinned.riskOf(&p, by); f.Why == "" && failed != nil { // damage in one memory hides no other
				f.Why = "can't be read"
			}
			out[v.Memory] = f
		}
		return nil
	})
}

// writersOf returns those of the versions of a memory that wrote what is to be decided of it: all of them if one act made them, or
// if it can't be found out. While nothing of it is decided, the newest is among them: blame takes too long for a whole queue.
func writersOf(ctx context.Context, s *core.Store, p Pending, made []versions.Version) []versions.Version {
	if !p.partly || !slices.ContainsFunc(made, func(v versions.Version) bool { return actOf(v) != actOf(made[0]) }) {
		return made
	}
	hunks, err := Writers(ctx, s, p)
	all := slices.Concat(hunks...)
	by := slices.DeleteFunc(slices.Clone(made), func(v versions.Version) bool {
		return !slices.ContainsFunc(all, func(w versions.Version) bool { return w.ID == v.ID })
	})
	if err != nil || len(by) == 0 {
		return made
	}
	return by
}

// pathOf returns the path of the newest version that has one: those that are redacted have none.
func pathOf(q tables.Reader, m versions.MemoryID) (path memfs.Path, err error) {
	err = q.Row(`SELECT v.path FROM version v JOIN memory m ON m.id=v.memory WHERE m.uid=? AND v.path IS NOT NULL ORDER BY v.number DESC LIMIT 1`,
		ids.Parse(ids.MemoryPrefix, string(m))).Scan(tables.PathTo(&path))
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return path, err
}

// Weighed returns the acts of unreviewed versions, newest first, in the order of their risk; those of one session only, if it is named.
func Weighed(ctx context.Context, s *core.Store, me versions.Actor, made []versions.Version, only versions.SessionID) ([]*Act, error) {
	facts, err := Weigh(ctx, s, me, made)
	if err != nil {
		return nil, err
	}
	return Acts(slices.DeleteFunc(slices.Clone(made), func(v versions.Version) bool { return only != "" && v.Session != only }), facts), nil
}
