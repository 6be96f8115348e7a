package live

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// reading is the tree as it was read.
type reading struct {
	*tree.Reading
	changed []versions.Entry // since the reading before
	last    versions.Change  // the newest of the store; zero when there is none
	now     time.Time
}

// read reads the tree. Until the first look at the folder is over (settled)
// nothing in it is a change that somebody should be shown.
func read(ctx context.Context, store Store, asked tree.Request, settled bool, now func() time.Time) (reading, error) {
	r := reading{now: now()}
	// The tree is never older than the change that is told with it.
	if last, err := store.Changes(ctx, versions.Filter{}, 0, 1); err == nil && len(last) > 0 {
		r.last = last[0]
	}
	var err error
	if r.Reading, err = tree.Read(ctx, store, asked); err != nil {
		return r, err
	}
	if settled {
		r.changed = r.Reading.Changed
	}
	return r, nil
}

// settlement is what the first look at the folder found: the events of what comes after
// it, or why there are none.
type settlement struct {
	events  <-chan versions.Event
	changed bool // something was taken in
	newest  int64
	err     error
}

// settle takes in what other programs did while nobody looked, and begins to watch.
func settle(ctx context.Context, store Store) settlement {
	calm()
	events, report, err := store.SyncAndWatch(ctx)
	s := settlement{events: events, changed: report.Changed, err: err}
	if last, err := store.Changes(ctx, versions.Filter{}, 0, 1); err == nil && len(last) > 0 {
		s.newest = last[0].Number
	}
	return s
}

// after runs a command when something has come to be.
func after(done <-chan struct{}, cmd tea.Cmd) tea.Cmd {
	if done == nil {
		return cmd
	}
	return func() tea.Msg {
		<-done
		return cmd()
	}
}

// Look takes in what others did, now.
func (r *Room) Look() tea.Cmd {
	store := r.cfg.Store
	const doing = "look for outside changes"
	r.env.Ask(screen.Work{Doing: doing, Do: func(ctx context.Context) (tea.Msg, error) {
		report, err := store.Sync(ctx)
		switch {
		case err != nil:
			return screen.Notice{Text: doing + ": " + err.Error(), Bad: true}, err
		case report.Adopted == 0:
			return screen.Notice{Text: "nothing changed outside: " + draw.Plural(report.Files, "file", "files") + " looked at"}, nil
		}
		return screen.Notice{Text: draw.Plural(report.Adopted, "outside change", "outside changes") + " taken in"}, nil
	}})
	return r.Reload()
}
