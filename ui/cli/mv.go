package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/relink"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/write"
)

func mvCommand(p *program) *cobra.Command {
	var links bool
	cmd := &cobra.Command{
		Use:               "mv FROM TO",
		Annotations:       map[string]string{overview: "move, rename", changes: always},
		Short:             "Rename a memory or a folder, or move it to another store",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return relocate(&p.storeOpener, cmd, args, renaming(&p.console, links), func(ctx context.Context, s *engine.Store, from memfs.Path, other *engine.Store, to memfs.Path) error {
				var deleted versions.Change
				copied, err := send(ctx, &p.console, other, func(ctx context.Context) (copied versions.Change, err error) {
					deleted, copied, err = write.MoveTo(ctx, s, p.by, other, versions.Transfer{From: from, To: to})
					return copied, err
				})
				if err != nil {
					return originalLeft(undoFirst(err, other), "the copy")
				}
				reportChangeIn(&p.console, other, copied)
				reportChangeIn(&p.console, s, deleted)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&links, "links", false, "rewrite the links to it in other memories of the store")
	return cmd
}

// renaming returns the act of a rename, with the links to what is renamed or without. Without, it says how many there are.
func renaming(p *console, links bool) func(ctx context.Context, s *engine.Store, by versions.By, from, to memfs.Path) (versions.Change, error) {
	return func(ctx context.Context, s *engine.Store, by versions.By, from, to memfs.Path) (versions.Change, error) {
		found, err := relink.Find(ctx, local.Store{Store: s}, from, to)
		if err != nil {
			return versions.Change{}, fmt.Errorf("rename %s: find the links to it: %w", from.Tool(), err)
		}
		if !links {
			found.Left, found.Edits = found.Left+found.Count, nil
		}
		c, err := s.Rename(ctx, by, from, to, found.Edits...)
		if err == nil && found.Left > 0 {
			are, them := "are", "them"
			if found.Left == 1 {
				are, them = "is", "it"
			}
			hint := "edit " + them
			if !links {
				hint = fmt.Sprintf("`memend undo %d` and `memend mv --links` rewrites %s", c.Number, them)
			}
			fmt.Fprintf(p.err, "memend: %s to %s %s broken now: %s\n", plural(found.Left, "link"), p.safe(from.Tool()), are, p.hintText(hint))
		}
		return c, err
	}
}

// reportChangeIn reports a change of one of several stores.
func reportChangeIn(p *console, s *engine.Store, c versions.Change) {
	name := p.safe(s.Info().Name)
	p.answer(inStoreJSON{hitOf(s), changeOf(c)}, "change %d of store %s: %s; `memend undo %d -s %s` undoes it", c.Number, name, describeChange(p, c), c.Number, shellWord(name))
}

// originalLeft adds to the error of a move or merge between stores that failed in its second half what can be done.
func originalLeft(err error, what string) error {
	var left *versions.OriginalError
	if !errors.As(err, &left) {
		return err
	}
	hint := fmt.Sprintf("`memend rm -s %s %s` deletes the original", shellWord(left.From), shellWord(left.Left.String()))
	if left.Change > 0 {
		hint += fmt.Sprintf(", or `memend undo %d -s %s` undoes %s", left.Change, shellWord(left.Store), what)
	}
	return &hinted{err, hint}
}

// inStoreJSON is a change of one of several stores.
type inStoreJSON struct {
	hitStoreJSON
	changeJSON
}

func hitOf(s *engine.Store) hitStoreJSON { return hitStoreJSON{string(s.Info().ID), s.Info().Name} }

// relocate renames or copies its first argument to the second, in one store, or from one store to another.
func relocate(p *storeOpener, cmd *cobra.Command, args []string, act func(ctx context.Context, s *engine.Store, by versions.By, from, to memfs.Path) (versions.Change, error),
	across func(ctx context.Context, s *engine.Store, from memfs.Path, other *engine.Store, to memfs.Path) error) error {
	ctx, command := cmd.Context(), cmd.CommandPath()
	if !namesStore(args[0]) && !namesStore(args[1]) {
		return p.withStoreAt(ctx, pathsOf(args...), func(s *engine.Store) error { return relocateIn(ctx, &p.caller, s, command, args, act) })
	}
	return p.withTrail(ctx, func(t *engine.Trail) error {
		return withTwo(ctx, p, t, command, args, func(stores [2]*engine.Store, paths [2]string) error {
			s, other := stores[0], stores[1]
			if s == other {
				return inStore(s.Info(), relocateIn(ctx, &p.caller, s, command, paths[:], act))
			}
			from, err := pathArg(s, command, paths[0])
			if err != nil {
				return inStore(s.Info(), err)
			}
			to, err := destination(other, command, from, paths[1])
			if err != nil {
				return err
			}
			return inStore(s.Info(), atFolder(across(ctx, s, from, other, to), other, to, args[1]))
		})
	})
}

func relocateIn(ctx context.Context, p *caller, s *engine.Store, command string, args []string, act func(ctx context.Context, s *engine.Store, by versions.By, from, to memfs.Path) (versions.Change, error)) error {
	from, err := pathArg(s, command, args[0])
	if err != nil {
		return err
	}
	to, err := destination(s, command, from, args[1])
	if err != nil {
		return err
	}
	c, err := send(ctx, &p.console, s, func(ctx context.Context) (versions.Change, error) { return act(ctx, s, p.by, from, to) })
	if err != nil {
		return atFolder(undoFirst(err, s), s, to, args[1])
	}
	reportChange(&p.console, c)
	return nil
}

// atFolder adds to the error of a rename or copy to a path that is a folder how to name a place in it.
func atFolder(err error, s *engine.Store, to memfs.Path, arg string) error {
	if errors.Is(err, memfs.ErrExist) && s.IsFolder(to) && !namesFolder(arg) {
		return &hinted{err, "it is a folder; " + shellWord(arg+"/") + " moves or copies into it"}
	}
	return err
}

// namesStore reports whether an argument has the form STORE:PATH. A path with a colon in its first part is
// written with a slash before it.
func namesStore(arg string) bool {
	before, _, colon := strings.Cut(arg, ":")
	return colon && before != "" && !strings.ContainsAny(before, `/\`) && before != "." && !filepath.IsAbs(arg)
}

// storeAndPath returns the store of STORE:PATH, or that of the command, and the path in it.
func storeAndPath(ctx context.Context, p *invocation, t *engine.Trail, command, arg string) (versions.StoreInfo, string, error) {
	if !namesStore(arg) {
		info, err := p.chooseStore(ctx, t)
		return info, arg, err
	}
	name, path, _ := strings.Cut(arg, ":")
	all, err := t.Stores(ctx)
	if err != nil {
		return versions.StoreInfo{}, "", err
	}
	for _, info := range all {
		if info.Name == name || string(info.ID) == name {
			if !strings.HasPrefix(path, "/") {
				path = "/" + path // not relative to the working directory
			}
			return info, path, nil
		}
	}
	return versions.StoreInfo{}, "", &misuse{&hinted{fmt.Errorf("%w: %s, of %q", versions.ErrNoStore, name, arg), fmt.Sprintf("`memend stores` lists them; a memory with a colon in its name is written /%s", arg)}, command}
}

// namesFolder reports whether an argument can only be a folder to move or copy into.
func namesFolder(arg string) bool {
	return strings.HasSuffix(arg, "/") || path.Base(arg) == "." || path.Base(arg) == ".."
}

// destination returns the target path: inside the folder, if the argument is one.
func destination(s *engine.Store, command string, from memfs.Path, arg string) (memfs.Path, error) {
	folder := namesFolder(arg)
	parse := newPathIn
	if folder {
		parse = pathIn
	}
	to, err := parse(s, arg)
	switch {
	case err != nil:
		return to, &misuse{err, command}
	case !folder || from.IsRoot():
		return to, nil
	}
	return to.Join(from.Base())
}
