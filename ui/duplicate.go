package ui

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// askDuplicate writes what a memory holds under another name.
func (a *App) askDuplicate(req screen.Duplicate) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	a.ask(&prompt{topic: "duplicate", label: "duplicate as", Input: draw.NewInput(a.freeName(req.Path)), then: func(s string) tea.Cmd {
		to, err := memfs.ParsePath(s)
		switch {
		case err != nil:
			return a.say("duplicate: "+why(err), true)
		case to.IsRoot() || strings.HasSuffix(strings.TrimSpace(s), "/"):
			return a.say("duplicate: a name is missing after the folder", true)
		}
		store, by, did := a.cfg.Store, a.cfg.By, "duplicated "+req.Path.String()+" as "+to.String()
		return a.work("duplicate "+req.Path.String(), func(ctx context.Context) (tea.Msg, error) {
			b, err := store.Content(ctx, req.Version)
			if err != nil {
				return doneMsg{did: did, err: err}, err
			}
			c, err := store.Write(ctx, by, to, b, versions.Pre{Absent: true})
			return doneMsg{did: did, change: c, open: to, err: err}, err
		})
	}})
	return nil
}

// freeName is a name for a copy that nothing has: plan-copy.md of plan.md.
func (a *App) freeName(p memfs.Path) string {
	name, end := p.String(), ""
	if i := strings.LastIndexByte(name, '.'); i > strings.LastIndexByte(name, '/')+1 {
		name, end = name[:i], name[i:]
	}
	data := a.tree.Data()
	for n := 1; ; n++ {
		s := name + "-copy" + end
		if n > 1 {
			s = name + "-copy-" + strconv.Itoa(n) + end
		}
		if to, err := memfs.ParsePath(s); err != nil || data == nil || !data.Has(to) {
			return s
		}
	}
}
