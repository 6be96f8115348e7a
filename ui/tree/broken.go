package tree

import (
	"context"
	"maps"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/agent/references"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// wantsBroken reports whether the filter or the columns need the names of what is gone.
func (t *Pane) wantsBroken() bool { return t.filter.broken || preferences[t.preferred].col == colState }

// seeksBroken reports whether these names are still being counted.
func (t *Pane) seeksBroken() bool { return t.data != nil && t.wantsBroken() && t.facts.broken == nil }

// findBroken counts the names of what is gone in each memory, while they are needed: every text must be
// read for that.
func (t *Pane) findBroken() tea.Cmd {
	if t.data == nil || !t.wantsBroken() {
		t.facts.broken = nil
		return nil
	}
	if t.breaks.After(t.findBroken) {
		return nil
	}
	store := t.store
	var memories []versions.Entry
	for i := range t.data.Entries {
		if e := &t.data.Entries[i]; e.Kind == versions.Memory && !e.Binary {
			memories = append(memories, *e)
		}
	}
	return t.breaks.Begin(t.env.Ctx, func(ctx context.Context) (map[memfs.Path]int, error) {
		return brokenIn(ctx, store, memories)
	}, func(found map[memfs.Path]int, err error) tea.Cmd {
		switch {
		case err != nil:
			t.facts.broken = map[memfs.Path]int{}
			return t.env.Ask(screen.Notice{Text: "is:broken: " + wording.Why(err), Bad: true})
		case !t.wantsBroken() || t.facts.broken != nil && maps.Equal(t.facts.broken, found):
			return nil
		}
		t.facts.broken = found
		return t.rearrange()
	})
}

func brokenIn(ctx context.Context, store Store, memories []versions.Entry) (map[memfs.Path]int, error) {
	home, _ := os.UserHomeDir()
	config, _ := outside.Config()
	info := store.Info()
	project, err := references.Open(ctx, places.ProjectOf(ctx, info, config), home)
	if err != nil {
		return nil, err
	}
	found := map[memfs.Path]int{}
	for _, e := range memories {
		text, err := store.Content(ctx, e.Version)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // the memory itself reports it
			continue
		}
		at := filepath.Dir(filepath.Join(info.Folder, filepath.FromSlash(e.Path.Rel())))
		if n := len(project.Check(text, at, info.Folder)); n > 0 {
			found[e.Path] = n
		}
	}
	return found, nil
}
