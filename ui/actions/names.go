package actions

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/relink"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// Actions that change paths: rename, move, delete, duplicate.

func (r *Room) Rename(from memfs.Path) tea.Cmd {
	store, by := r.store, r.by
	return r.env.Do(screen.Prompt{Label: "rename to", Value: from.String(), Then: func(s string) tea.Cmd {
		to, err := renamedTo(from, s)
		if err != nil {
			return r.say("rename: "+wording.Why(err), true)
		}
		if to == from || to.IsRoot() {
			return nil
		}
		rename := func(edits ...versions.Edit) func() tea.Cmd {
			return func() tea.Cmd {
				r.change("rename "+from.String(), "renamed "+from.String()+" to "+to.String(), func(ctx context.Context) (versions.Change, error) {
					return store.Rename(ctx, by, from, to, edits...)
				})
				return nil
			}
		}
		return r.linksTo.Begin(r.env.Ctx, func(ctx context.Context) (relink.Links, error) {
			return relink.Find(ctx, store, from, to)
		}, func(links relink.Links, err error) tea.Cmd {
			if err != nil || links.Count+links.Left == 0 { // a rename fails for a reason of its own
				return rename()()
			}
			return r.env.Do(screen.Choose{Title: "rename", Text: links.String() + " lead to " + from.String() + ".", Undoes: true, Options: []screen.Option{
				{Key: "l", Label: "rename, and rewrite the links", Then: rename(links.Edits...)},
				{Key: "r", Label: "rename only", Then: rename()},
				{Key: "n", Label: "cancel"},
			}})
		})
	}})
}

// renamedTo returns the path that a person typed for a rename. A name without a folder stays in the folder.
func renamedTo(from memfs.Path, typed string) (memfs.Path, error) {
	if !strings.Contains(typed, "/") {
		return from.Dir().Join(strings.TrimSpace(typed))
	}
	return memfs.ParsePath(typed)
}

// Move moves paths to a folder, all in one change.
func (r *Room) Move(req screen.Move) tea.Cmd {
	if len(req.Paths) == 0 {
		return nil
	}
	what := entries(req.Paths)
	return r.env.Do(screen.Prompt{Topic: "move", Label: "move " + what + " to", Value: strings.TrimSuffix(req.Folder.String(), "/") + "/", Then: func(s string) tea.Cmd {
		into := memfs.Root
		if strings.Trim(s, "/ ") != "" {
			var err error
			if into, err = memfs.ParsePath(strings.TrimRight(s, "/ ")); err != nil {
				return r.say("move: "+wording.Why(err), true)
			}
		}
		r.tree.Chosen.Clear()
		r.move(what, into, req.Paths)
		return nil
	}})
}

func (r *Room) move(what string, into memfs.Path, paths []memfs.Path) tea.Cmd {
	store, by := r.store, r.by
	return r.work("move "+what, func(ctx context.Context) (tea.Msg, error) {
		did := screen.Did{What: "moved " + what + " to " + into.String(), Moved: map[memfs.Path]memfs.Path{}}
		for _, from := range paths {
			if to, err := into.Join(from.Base()); err == nil {
				did.Moved[from] = to
			}
		}
		did.Change, did.Err = store.Move(ctx, by, into, paths...)
		return did, did.Err
	})
}

// entries returns one path, or a count.
func entries(paths []memfs.Path) string {
	if len(paths) == 1 {
		return paths[0].String()
	}
	return strconv.Itoa(len(paths)) + " entries"
}

// Delete deletes paths. It asks for confirmation only if there are folders among them,
// because a folder is one row on the screen but may contain many memories. Other mistakes can
// be undone.
func (r *Room) Delete(paths []memfs.Path) tea.Cmd {
	if len(paths) == 0 {
		return nil
	}
	count, folders := 0, 0
	for _, p := range paths {
		n, folder := r.tree.Data().Count(p)
		count += n
		if folder {
			folders++
		}
	}
	what := entries(paths)
	store, by := r.store, r.by
	do := func() tea.Cmd {
		r.tree.Chosen.Clear()
		r.change("delete "+what, "deleted "+what, func(ctx context.Context) (versions.Change, error) {
			return store.Delete(ctx, by, paths...)
		})
		return nil
	}
	if folders == 0 {
		do()
		return nil
	}
	return r.env.Do(screen.Choose{Title: "delete", Text: "Delete " + what + " with " + draw.Plural(count, "memory", "memories") + "?", Undoes: true, Options: []screen.Option{
		{Key: "y", Label: "delete", Then: do},
		{Key: "n", Label: "keep"},
	}})
}

// Duplicate writes the text of a memory to another path.
func (r *Room) Duplicate(req screen.Duplicate) tea.Cmd {
	return r.env.Do(screen.Prompt{Topic: "duplicate", Label: "duplicate as", Value: r.freeName(req.Path), Then: func(s string) tea.Cmd {
		to, err := memfs.ParsePath(s)
		switch {
		case err != nil:
			return r.say("duplicate: "+wording.Why(err), true)
		case to.IsRoot() || strings.HasSuffix(strings.TrimSpace(s), "/"):
			return r.say("duplicate: a name is missing after the folder", true)
		}
		r.duplicate(req, to)
		return nil
	}})
}

func (r *Room) duplicate(req screen.Duplicate, to memfs.Path) tea.Cmd {
	store, by := r.store, r.by
	return r.work("duplicate "+req.Path.String(), func(ctx context.Context) (tea.Msg, error) {
		did := screen.Did{What: "duplicated " + req.Path.String() + " as " + to.String()}
		b, err := store.Content(ctx, req.Version)
		if err != nil {
			did.Err = err
			return did, err
		}
		did.Change, did.Err = store.Write(ctx, by, to, b, versions.Pre{Absent: true})
		did.Open = to
		return did, did.Err
	})
}

// freeName returns a free path for a copy: plan-copy.md for plan.md.
func (r *Room) freeName(p memfs.Path) string {
	name, end := p.String(), ""
	if i := strings.LastIndexByte(name, '.'); i > strings.LastIndexByte(name, '/')+1 {
		name, end = name[:i], name[i:]
	}
	data := r.tree.Data()
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
