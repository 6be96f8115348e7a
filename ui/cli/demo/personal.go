package demo

import (
	"context"
	"errors"
	"time"

	"github.com/memend/memend/versions"
)

// PersonalName is the name of the demo's second store.
const PersonalName = "personal"

const codeStyle = `# How I write code

- errors: §fmt.Errorf("charge order %s: %w", id, err)§, lower case, no "failed to"
- no package called util
- table tests with sentences for names
- migrations are forward only; a column is dropped two releases after its last use
- times are UTC in the database, the shop's zone only at the edge

## Reviews

- two small pull requests are better than one
- read the tests first
`

const tea = `# Tea for the team meeting

- Jonas: mint, no sugar
- Ama: assam with oat milk
- the shop on the corner closes at four on Fridays
`

const offsite = `# Offsite in Lisbon

- the hotel keeps ten rooms until the end of the month
- the train from the airport takes 25 minutes; buy the ticket at the machine
- dinner on the second evening: a table for twelve under "Okafor"
`

// makePersonal creates the second store, which is older than the other. It has a memory that nobody read
// since.
func makePersonal(ctx context.Context, t *versions.Trail, clock *Clock) error {
	now := clock.Now()
	defer clock.turn(time.Time{})
	clock.turn(now.AddDate(0, 0, -130))
	info, err := t.CreateStore(ctx, personBy("you"), PersonalName, "what one person keeps across projects (made up)", "")
	if err != nil {
		return err
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return err
	}
	w := &writer{ctx: ctx, store: s, clock: clock, now: now}
	w.session(128, 9, 30, personBy("mira"))
	w.write("trips/offsite-lisbon.md", offsite)
	w.session(20, 16, 40, agentBy("coding-agent", "sesn_personal_code"))
	w.create("code-style.md", codeStyle)
	w.session(9, 11, 5, agentBy("home-agent", "sesn_personal_tea"))
	w.create("people/tea.md", tea)
	return errors.Join(w.err, s.Close())
}
