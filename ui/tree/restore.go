package tree

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
)

// restoreAt asks for a moment, and shows the plan to restore the selection to it. Nothing
// is written before the plan is confirmed. A deleted memory is restored to its last version at once.
func (t *Pane) restoreAt(int) tea.Cmd {
	paths := t.Chosen.targets()
	if n := t.current(); n != nil && n.deleted() && len(paths) == 1 && paths[0] == n.path() {
		return t.restoreDeleted(*n.entry)
	}
	what := paths[0].String()
	ask := func(m versions.Moment) screen.Request { return screen.RestoreAt{At: m, Path: paths[0]} }
	if len(paths) > 1 {
		what = draw.Plural(len(paths), "entry", "entries")
		ask = func(m versions.Moment) screen.Request { return screen.RestoreSeveral{At: m, Paths: paths} }
	}
	return t.env.Do(screen.Prompt{Label: "restore " + what + " as of", Example: "2h, yesterday, 2026-11-20 or #42", Then: func(s string) tea.Cmd {
		return t.restoreTo(ask, strings.TrimSpace(s))
	}})
}

func (t *Pane) restoreDeleted(e versions.Entry) tea.Cmd {
	ctx, store := t.env.Ctx, t.store
	return func() tea.Msg {
		vs, err := store.History(ctx, e.Memory, 0, 2)
		switch {
		case err != nil:
			return screen.Notice{Text: "restore " + e.Path.String() + ": " + err.Error(), Bad: true}
		case len(vs) < 2 || !vs[1].Redacted.IsZero():
			return screen.Notice{Text: "restore " + e.Path.String() + ": its content is gone", Bad: true}
		}
		return screen.Restore{Version: vs[1]}
	}
}

func (t *Pane) restoreTo(ask func(versions.Moment) screen.Request, when string) tea.Cmd {
	if n, err := strconv.ParseInt(strings.TrimPrefix(when, "#"), 10, 64); err == nil && n >= 0 {
		t.Chosen.Clear()
		return t.env.Do(ask(versions.Moment{Change: n}))
	}
	_, at, ok := units.Span(when, t.facts.now) // the end of a day, as on the command line
	if !ok {
		return t.env.Do(screen.Notice{Text: "restore: “" + when + "” is not a moment: write 2h, 2026-11-20 or #42", Bad: true})
	}
	t.Chosen.Clear()
	ctx, store := t.env.Ctx, t.store
	return func() tea.Msg {
		m, err := store.MomentAt(ctx, at)
		if err != nil {
			return screen.Notice{Text: "restore as of " + when + ": " + err.Error(), Bad: true}
		}
		return ask(m)
	}
}
