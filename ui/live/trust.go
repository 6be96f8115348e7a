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
	for i, h := range t.held {
		paths[i] = h.Path
	}
	r.tree.Trust.Set(paths, t.pins)
	if n := len(t.held); n > 0 && t.held[n-1].Number > r.trust.newest {
		r.trust.newest = t.held[n-1].Number
		if r.trust.read {
			r.env.Do(screen.Notice{Text: waits(t.held) + " · " + r.env.Hint("global.review") + " shows it", Queued: true})
		}
	}
	r.trust.read, r.trust.waiting, r.trust.policy = true, len(t.held), t.policy
	return nil
}

// waits says that the last of the held changes waits, and how many others do: not only those that came with it, because
// writes that an agent sends together come in several readings.
func waits(held []versions.Held) string {
	h := held[len(held)-1]
	s := fmt.Sprintf("%s wants to %s %s: #%d waits for you", actors.Short(h.By.Actor), h.Kind.Verb(), h.Path, h.Number)
	if more := len(held) - 1; more > 0 {
		s += fmt.Sprintf(", and %d more", more)
	}
	return s
}
