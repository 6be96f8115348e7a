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
	changed []versions.Entry // since the previous reading
	last    versions.Change  // the newest change of the store; zero if there is none
	now     time.Time
}

// read reads the tree. Before the first scan of the folder is done (adopted), no difference
// counts as a change.
func read(ctx context.Context, store Store, asked tree.Request, adopted bool, now func() time.Time) (reading, error) {
	r := reading{now: now()}
	// Read the last change first, so that the tree is never older than it.
	if last, err := store.Changes(ctx, versions.Filter{}, 0, 1); err == nil && len(last) > 0 {
		r.last = last[0]
	}
	var err error
	if r.Reading, err = tree.Read(ctx, store, asked); err != nil {
		return r, err
	}
	if adopted {
		r.changed = r.Reading.Changed
	}
	return r, nil
}

// scanResult is the result of the first scan of the folder: the channel of later events, or
// an error.
type scanResult struct {
	events     <-chan versions.Event
	changed    bool // something was adopted
	newest     int64
	unwritable error // why nothing can be created in the folder, or nil
	err        error
}

// scan adopts what other programs did before the start, and begins to watch.
func scan(ctx context.Context, store Store) scanResult {
	events, report, err := store.SyncAndWatch(ctx)
	s := scanResult{events: events, changed: report.Changed, unwritable: store.Writable(), err: err}
	if last, err := store.Changes(ctx, versions.Filter{}, 0, 1); err == nil && len(last) > 0 {
		s.newest = last[0].Number
	}
	return s
}

// after runs a command after done is closed.
func after(done <-chan struct{}, cmd tea.Cmd) tea.Cmd {
	if done == nil {
		return cmd
	}
	return func() tea.Msg {
		<-done
		return cmd()
	}
}

// Sync adopts changes by others now.
func (r *Room) Sync() tea.Cmd {
	store := r.cfg.Store
	const doing = "scan for outside changes"
	r.env.Do(screen.Work{Doing: doing, Do: func(ctx context.Context) (tea.Msg, error) {
		report, err := store.Sync(ctx)
		switch {
		case err != nil:
			return screen.Notice{Text: doing + ": " + err.Error(), Bad: true}, err
		case report.Adopted == 0:
			return screen.Notice{Text: "no outside changes: " + draw.Plural(report.Files, "file", "files") + " scanned"}, nil
		}
		return screen.Notice{Text: draw.Plural(report.Adopted, "change", "changes") + " by other programs"}, nil
	}})
	return r.Reload()
}
