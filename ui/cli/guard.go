package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/guard"
	"github.com/memend/memend/versions/history"
)

func guardCommand(p *program) *cobra.Command {
	var all, history, everywhere bool
	cmd := &cobra.Command{
		Use:         "guard [FILE]",
		Annotations: map[string]string{overview: "find secrets", pages: "", whole: ""},
		Short:       "Find secrets and planted instructions in memories",
		RunE: func(cmd *cobra.Command, args []string) error {
			store := all || history || everywhere || p.store != "" && len(args) == 0
			switch {
			case store && len(args) > 0:
				return misusef(cmd.CommandPath(), "guard checks a file or a store: leave out %s or the flags", args[0])
			case everywhere && p.store != "":
				return misusef(cmd.CommandPath(), "--all-stores checks every store: leave out --store")
			}
			out := findingPrinter{p: &p.console, past: history}
			var err error
			switch {
			case everywhere:
				err = guardAll(cmd.Context(), &p.homeOpener, &out)
			case store:
				check := func(s *engine.Store) error { return out.store(cmd.Context(), s) }
				if history {
					err = p.withPast(cmd.Context(), nil, check)
				} else {
					err = p.withStore(cmd.Context(), check)
				}
			default:
				err = guardFile(&p.console, append(args, stdStream)[0], &out)
			}
			return out.end(err)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "check the current memories of the store")
	cmd.Flags().BoolVar(&history, "history", false, "check all versions of all memories")
	cmd.Flags().BoolVar(&everywhere, "all-stores", false, "check all stores of this home")
	return cmd
}

func guardFile(p *console, name string, out *findingPrinter) error {
	content, err := readInput(p, name)
	if err != nil {
		return err
	}
	path := name
	if name == stdStream {
		path = ""
	}
	out.texts, out.bytes = out.texts+1, out.bytes+len(content)
	out.found(findingsJSON{}, name, guard.Check(path, content))
	return nil
}

// guardAll checks all stores. It reports a store that can't be checked, and then exits with failure.
func guardAll(ctx context.Context, p *homeOpener, out *findingPrinter) error {
	return p.withTrail(ctx, func(t *engine.Trail) error {
		return eachStore(ctx, &p.console, t, "checked", func(info versions.StoreInfo) error {
			out.named = &info
			return withOpen(ctx, t, info, synced(ctx, &p.console, func(s *engine.Store) error { return out.store(ctx, s) }))
		})
	})
}

type findingsJSON struct {
	hitStoreJSON
	Path     string          `json:"path,omitempty"`
	HeldBy   []heldByJSON    `json:"held_by,omitempty"`
	Findings []guard.Finding `json:"findings"`
}

// heldByJSON is a version that has a text.
type heldByJSON struct {
	Path    string `json:"path"`
	Number  int    `json:"number"`
	Version string `json:"memory_version_id"`
	Current bool   `json:"current"`
}

// findingPrinter prints findings, and counts them.
type findingPrinter struct {
	p     *console
	past  bool                // also of versions that are not current
	named *versions.StoreInfo // the store that is checked; nil if there is only one
	n     int

	printed      int // objects
	texts, bytes int // that were checked
}

// store checks the contents of a store.
func (f *findingPrinter) store(ctx context.Context, s *engine.Store) error {
	return history.Contents(ctx, s, f.past, func(some []versions.Content) error {
		found := make([][]guard.Finding, len(some))
		memfs.Parallel(len(some), func(i int) { found[i] = guard.Check(some[i].In[0].Path.Tool(), some[i].Text) })
		for i, c := range some {
			f.texts, f.bytes = f.texts+1, f.bytes+len(c.Text)
			if len(found[i]) > 0 {
				f.content(c, found[i])
			}
		}
		return f.p.out.Flush() // the next finding may be far
	})
}

// content prints the findings of a content and the versions that have it.
func (f *findingPrinter) content(c versions.Content, found []guard.Finding) {
	newest := c.In[0]
	out := findingsJSON{Path: newest.Path.Tool()}
	name := out.Path
	if f.past {
		name = fmt.Sprintf("%s@%d", name, newest.Number)
	}
	if f.named != nil {
		out.hitStoreJSON = hitStoreJSON{string(f.named.ID), f.named.Name}
		name = f.named.Name + ":" + name
	}
	for _, h := range c.In {
		out.HeldBy = append(out.HeldBy, heldByJSON{h.Path.Tool(), h.Number, string(h.ID), h.Current})
	}
	f.found(out, name, found)
	if more := len(c.In) - 1; more > 0 && !f.p.json {
		f.p.println("%s: %s the same text", f.p.safe(name), draw.Plural(more, "other version has", "other versions have"))
	}
}

// found prints the findings of one text.
func (f *findingPrinter) found(out findingsJSON, name string, found []guard.Finding) {
	f.n += len(found)
	if f.p.json {
		out.Findings = append([]guard.Finding{}, found...)
		f.p.emit(out)
		f.printed++
		return
	}
	for _, one := range found {
		f.p.println("%s:%d:%d: %s %s: %s", f.p.safe(name), one.Line, one.Column, one.Severity, one.Rule, one.Why)
	}
}

// end makes findings the failure of the command.
func (f *findingPrinter) end(err error) error {
	if err != nil && (f.n == 0 || !errors.Is(err, errReported)) {
		return err
	}
	if f.n == 0 {
		if f.printed == 0 { // of one text the object with its findings is printed already
			f.p.answer(findingsJSON{Findings: []guard.Finding{}}, "no findings in %s, %s", plural(f.texts, "text"), units.Bytes(int64(f.bytes)))
		}
		return nil
	}
	return &hinted{fmt.Errorf("guard: %s", plural(f.n, "finding")), "`memend redact --match -` erases a text from all versions, and proves it"}
}
