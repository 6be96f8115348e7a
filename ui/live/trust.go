package live

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/policy"
)

// TrustStore is what the package needs to know of who may change what.
type TrustStore interface {
	// Held lists held changes, oldest first.
	Held(ctx context.Context, f versions.HeldFilter) ([]versions.Held, error)
	// Policies returns the policy of the store, and after it those of sessions.
	Policies(ctx context.Context) ([]versions.PolicySet, error)
	Pins(ctx context.Context) ([]versions.Pin, error)
}

// trust is who may change what, and what waits for a person.
type trust struct {
	loads   screen.Load[trustReading]
	read    bool
	waiting int
	newest  int64 // the number of the newest change that waited
	policy  policy.Policy
}

type trustReading struct {
	held   []versions.Held
	policy policy.Policy
	pins   []versions.Pin
}

// Waiting returns how many changes wait for a person.
func (r *Room) Waiting() int { return r.trust.waiting }

// Policy returns the policy of the store.
func (r *Room) Policy() policy.Policy { return r.trust.policy }

// LoadTrust reads who may change what; during a reading, it is read again afterwards. A problem of the trail
// is reported by the reading of the tree.
func (r *Room) LoadTrust() tea.Cmd {
	if r.trust.loads.After(r.LoadTrust) {
		return nil
	}
	store := r.cfg.Store
	return r.trust.loads.Begin(r.env.Ctx, func(ctx context.Context) (t trustReading, err error) {
		if t.held, err = store.Held(ctx, versions.HeldFilter{State: versions.HeldWaiting}); err != nil {
			return t, err
		}
		sets, err := store.Policies(ctx)
		if err != nil {
			return t, err
		}
		t.policy = sets[0].Policy
		t.pins, err = store.Pins(ctx)
		return t, err
	}, r.trustLoaded)
}

func (r *Room) trustLoaded(t trustReading, err error) tea.Cmd {
	if err != nil {
		return nil
	}
	paths := make([]memfs.Path, len(t.held))
	fresh, newest := 0, r.trust.newest
	for i, h := range t.held {
		paths[i] = h.Path
		if h.Number > newest {
			fresh++
			r.trust.newest = max(r.trust.newest, h.Number)
		}
	}
	r.tree.Trust.Set(paths, t.pins)
	if r.trust.read && fresh > 0 {
		r.env.Do(screen.Notice{Text: waits(t.held[len(t.held)-1], fresh-1) + " · " + r.env.Hint("global.review") + " shows it", Queued: true})
	}
	r.trust.read, r.trust.waiting, r.trust.policy = true, len(t.held), t.policy
	return nil
}

// waits says that a change by somebody else was held since the last reading, and how many others.
func waits(h versions.Held, more int) string {
	s := fmt.Sprintf("%s wants to %s %s: #%d waits for you", actors.Short(h.By.Actor), h.Kind.Verb(), h.Path, h.Number)
	if more > 0 {
		s += fmt.Sprintf(", and %d more", more)
	}
	return s
}
