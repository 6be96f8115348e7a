package demo

import (
	"context"
	"errors"
	"time"

	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// PersonalName is the name of the demo's second store.
const PersonalName = "personal"

// makePersonal creates the second store, which is older than the other. It has a memory that nobody read
// since.
func makePersonal(ctx context.Context, t *engine.Trail, clock *Clock) error {
	now := clock.Now()
	defer clock.turn(time.Time{})
	clock.turn(now.AddDate(0, 0, -130))
	info, err := stores.CreateStore(ctx, t, personBy("you"), PersonalName, "what one person keeps across projects (made up)", "")
	if err != nil {
		return err
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return err
	}
	w := &writer{ctx: ctx, store: s, clock: clock, now: now, texts: PersonalName}
	w.session(128, 9, 30, personBy("mira"))
	w.write("trips/offsite-lisbon.md", w.text("trips/offsite-lisbon.md"))
	w.session(20, 16, 40, agentBy("coding-agent", "sesn_personal_code"))
	w.create("code-style.md")
	w.session(9, 11, 5, agentBy("home-agent", "sesn_personal_tea"))
	w.create("people/tea.md")
	w.reviewed()
	return errors.Join(w.err, s.Close())
}
