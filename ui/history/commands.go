package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/diffview"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
)

// Store is what the pane needs of a store. Its methods may block.
type Store interface {
	// History lists versions of a memory, newest first, before the one numbered
	// before; 0 is from the newest.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Changes lists changes, newest first, before the one numbered before.
	Changes(ctx context.Context, f versions.Filter, before int64, limit int) ([]versions.Change, error)
	// Change is one change with its versions.
	Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error)
	// Content is what a version holds.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
}

// pageSize is how many rows one question brings.
const pageSize = 100

func loadVersions(ctx context.Context, store Store, id int, m versions.MemoryID, before int) tea.Cmd {
	return func() tea.Msg {
		page, err := store.History(ctx, m, before, pageSize)
		return versionsMsg{screen.Answered{}, id, page, err}
	}
}

func loadNewVersions(ctx context.Context, store Store, id int, m versions.MemoryID) tea.Cmd {
	return func() tea.Msg {
		page, err := store.History(ctx, m, 0, pageSize)
		return newVersionsMsg{screen.Answered{}, id, page, err}
	}
}

func loadChanges(ctx context.Context, store Store, id int, before int64) tea.Cmd {
	return func() tea.Msg {
		page, err := store.Changes(ctx, versions.Filter{}, before, pageSize)
		return changesMsg{screen.Answered{}, id, page, err}
	}
}

func loadNewChanges(ctx context.Context, store Store, id int) tea.Cmd {
	return func() tea.Msg {
		page, err := store.Changes(ctx, versions.Filter{}, 0, pageSize)
		return newChangesMsg{screen.Answered{}, id, page, err}
	}
}

func loadDetail(ctx context.Context, store Store, id int, change int64) tea.Cmd {
	return func() tea.Msg {
		_, list, err := store.Change(ctx, change)
		return detailMsg{screen.Answered{}, id, change, list, err}
	}
}

// compareWithPrevious compares a version with the one before it.
func compareWithPrevious(ctx context.Context, store Store, id int, v versions.Version) tea.Cmd {
	return func() tea.Msg {
		var prev *versions.Version
		if v.Number > 1 {
			page, err := store.History(ctx, v.Memory, v.Number, 1)
			if err != nil {
				return failed(id, v, err)
			}
			if len(page) > 0 {
				prev = &page[0]
			}
		}
		return comparison(ctx, store, id, prev, v)
	}
}

// compareTwo compares two versions of a memory, the older one first.
func compareTwo(ctx context.Context, store Store, id int, a, b versions.Version) tea.Cmd {
	if a.Number > b.Number {
		a, b = b, a
	}
	return func() tea.Msg { return comparison(ctx, store, id, &a, b) }
}

func comparison(ctx context.Context, store Store, id int, old *versions.Version, new versions.Version) tea.Msg {
	title := versionName(new)
	var before []byte
	if old != nil {
		title = versionName(*old) + " → " + title
		var why string
		var err error
		if before, why, err = content(ctx, store, *old); err != nil {
			return failed(id, *old, err)
		} else if why != "" {
			return comparedMsg{screen.Answered{}, id, pathName(new), title, diffview.Note(why)}
		}
	}
	after, why, err := content(ctx, store, new)
	switch {
	case err != nil:
		return failed(id, new, err)
	case why != "":
		return comparedMsg{screen.Answered{}, id, pathName(new), title, diffview.Note(why)}
	}
	return comparedMsg{screen.Answered{}, id, pathName(new), title + facts(old, new), diffview.Compare(before, after)}
}

// facts is what a diff of the contents does not show.
func facts(old *versions.Version, new versions.Version) string {
	switch {
	case new.Operation == versions.Deleted:
		return " · deleted"
	case old == nil || old.Operation == versions.Deleted:
		return " · created"
	case old.Path != new.Path:
		return " · was " + old.Path.String()
	}
	return ""
}

// content is what a version holds, nothing when it is deleted; why says in words
// that it can't be shown.
func content(ctx context.Context, store Store, v versions.Version) (b []byte, why string, err error) {
	if v.Operation == versions.Deleted {
		return nil, "", nil
	}
	if v.Redacted.IsZero() {
		b, err = store.Content(ctx, v.ID)
	}
	if !v.Redacted.IsZero() || errors.Is(err, versions.ErrRedacted) {
		return nil, "Version " + strconv.Itoa(v.Number) + " was redacted: its content is gone for good.", nil
	}
	return b, "", err
}

func failed(id int, v versions.Version, err error) tea.Msg {
	return comparedMsg{screen.Answered{}, id, pathName(v), versionName(v), diffview.Note("Can't be shown: " + err.Error())}
}

func versionName(v versions.Version) string { return "v" + strconv.Itoa(v.Number) }

// listing says what a change of many memories did.
func listing(list []versions.Version) *diffview.Document {
	const most = 500
	var b strings.Builder
	b.WriteString("Enter lists them, to look at each.\n")
	for i, v := range list {
		if i == most {
			fmt.Fprintf(&b, "\n… and %d more", len(list)-most)
			break
		}
		fmt.Fprintf(&b, "\n%-8s %s", operationName(v), text.Field(pathName(v)))
	}
	return diffview.Note(b.String())
}
