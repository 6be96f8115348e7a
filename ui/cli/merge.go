package cli

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/write"
)

func mergeCommand(p *program) *cobra.Command {
	var how merging
	cmd := &cobra.Command{
		Use:               "merge PATH OTHER",
		Annotations:       map[string]string{overview: "two into one", changes: always},
		Short:             "Merge two memories, of one store or of two",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if how.take != "" && how.file != "" {
				return misusef(cmd.CommandPath(), "--take and --file exclude each other")
			}
			if takes[how.take] == nil {
				return misusef(cmd.CommandPath(), "--take %s: must be first, second or both", how.take)
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error { return mergeMemories(&p.storeOpener, cmd, t, args, how) })
		},
	}
	cmd.Flags().StringVar(&how.take, "take", "", "where the two differ, take the lines of `SIDE`: first, second or both")
	cmd.Flags().StringVarP(&how.file, "file", "f", "", "read the merged text from `FILE`, or from standard input (-)")
	cmd.Flags().BoolVar(&how.dryRun, "dry-run", false, "show how PATH would change, and change nothing")
	return cmd
}

// takes are the ways to decide all differences: the values of --take.
var takes = map[string]func(*diff.Merged) []byte{
	"":       (*diff.Merged).Both, // not used: an editor decides
	"first":  func(m *diff.Merged) []byte { return m.Favor(diff.MergeOurs) },
	"second": func(m *diff.Merged) []byte { return m.Favor(diff.MergeTheirs) },
	"both":   (*diff.Merged).Both,
}

// merging is how a merge is decided, and what is merged: the memory that stays, and the other one.
type merging struct {
	take, file string
	dryRun     bool
	editor     string

	stores [2]*engine.Store
	paths  [2]memfs.Path
	texts  [2][]byte
}

func (m *merging) name(i int) string { return m.stores[i].Info().Name + ":" + m.paths[i].Tool() }

func mergeMemories(p *storeOpener, cmd *cobra.Command, t *engine.Trail, args []string, m merging) error {
	ctx, command := cmd.Context(), cmd.CommandPath()
	return withTwo(ctx, p, t, command, args, func(stores [2]*engine.Store, paths [2]string) (err error) {
		m.stores = stores
		for i, s := range stores {
			if m.paths[i], err = pathArg(s, command, paths[i]); err == nil {
				m.texts[i], err = readMemory(ctx, s, m.paths[i])
			}
			if err != nil {
				return inStore(s.Info(), err)
			}
		}
		found := diff.Merge(diff.Common(m.texts[0], m.texts[1]), m.texts[0], m.texts[1])
		text := found.Marked(m.labels())
		switch {
		case m.file != "":
			text, err = readInput(&p.console, m.file)
		case m.take != "":
			text = takes[m.take](found)
		}
		switch {
		case err != nil:
			return err
		case m.dryRun:
			mergeDryRun(&p.console, &m, text)
			return nil
		case m.file+m.take != "":
			return mergeInto(ctx, &p.caller, t, &m, text)
		}
		if m.editor, err = editorCommand(p, cmd, "--take decides without one, --file reads the merged text"); err != nil {
			return err
		}
		return mergeInEditor(&p.caller, cmd, t, &m, text)
	})
}

// withTwo calls do with the stores of two arguments, which may be the same one, and the paths in them.
func withTwo(ctx context.Context, p *storeOpener, t *engine.Trail, command string, args []string, do func([2]*engine.Store, [2]string) error) error {
	var infos [2]versions.StoreInfo
	var paths [2]string
	for i, arg := range args {
		var err error
		if infos[i], paths[i], err = storeAndPath(ctx, &p.invocation, t, command, arg); err != nil {
			return err
		}
	}
	of := [2]func(*engine.Store) []memfs.Path{pathsOf(paths[0]), pathsOf(paths[1])}
	if infos[0].ID == infos[1].ID {
		of[0] = pathsOf(paths[:]...)
	}
	return withOpen(ctx, t, infos[0], syncedAt(ctx, &p.console, of[0], func(first *engine.Store) error {
		if infos[0].ID == infos[1].ID {
			return do([2]*engine.Store{first, first}, paths)
		}
		return withOpen(ctx, t, infos[1], syncedAt(ctx, &p.console, of[1], func(second *engine.Store) error {
			return do([2]*engine.Store{first, second}, paths)
		}))
	}))
}

func (m *merging) labels() diff.Labels {
	return diff.Labels{Ours: m.name(0), Base: "common", Theirs: m.name(1)}
}

func mergeDryRun(p *console, m *merging, text []byte) {
	d := difference{old: m.texts[0], new: text, oldName: m.paths[0].Tool(), newName: m.paths[0].Tool()}
	if p.json {
		p.emit(d.json())
		return
	}
	printDifference(p, d)
	p.println("would delete %s", p.safe(m.name(1)))
}

// mergeInEditor lets the person decide the differences.
func mergeInEditor(p *caller, cmd *cobra.Command, t *engine.Trail, m *merging, marked []byte) error {
	for i, text := range m.texts {
		if !utf8.Valid(text) {
			return &hinted{fmt.Errorf("merge %s: not UTF-8 text", m.name(i)), "an editor would damage it; --take decides without one"}
		}
	}
	d := draft{what: "merge " + m.name(0), name: drafts.EditName(m.paths[0]), text: marked}
	d.again = func(file string) string {
		return fmt.Sprintf("; `memend merge %s %s --file %s` merges with it", shellWord(m.name(0)), shellWord(m.name(1)), shellWord(file))
	}
	return d.edit(&p.console, cmd, m.stores[0], m.editor, func(text []byte) error {
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			fmt.Fprintln(p.err, "memend: the text is empty: nothing was merged")
			return nil
		case hasMarkers(text, m.labels()):
			return &refusal{fmt.Errorf("merge %s: the text still has conflict markers", m.name(0))}
		}
		return mergeInto(cmd.Context(), p, t, m, text)
	})
}

// hasMarkers reports whether conflict markers with these labels are left in a text.
func hasMarkers(text []byte, l diff.Labels) bool {
	for line := range bytes.Lines(text) {
		switch string(bytes.TrimRight(line, "\r\n")) {
		case "<<<<<<< " + l.Ours, "||||||| " + l.Base, ">>>>>>> " + l.Theirs:
			return true
		}
	}
	return false
}

// mergeInto merges, and reports what it did.
func mergeInto(ctx context.Context, p *caller, t *engine.Trail, m *merging, text []byte) error {
	var sides [2]versions.Merging
	for i, s := range m.stores {
		sides[i] = versions.Merging{Store: s.Info().ID, Path: m.paths[i], SHA256: hashOf(m.texts[i])}
	}
	merge := func(ctx context.Context) (kept, deleted versions.Change, err error) {
		return write.MergeInto(ctx, t, p.by, sides[0], sides[1], text)
	}
	if m.stores[0] == m.stores[1] {
		return sendAndReport(ctx, &p.console, m.stores[0], func(ctx context.Context) (versions.Change, error) {
			c, _, err := merge(ctx)
			return c, err
		})
	}
	kept, deleted, err := merge(ctx)
	if err != nil {
		return originalLeft(err, "the merge")
	}
	for i, c := range []versions.Change{kept, deleted} {
		if c.Number > 0 || p.json {
			reportChangeIn(&p.console, m.stores[i], c)
		}
	}
	return nil
}
