package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

func lsCommand(p *program) *cobra.Command {
	var sizes bool
	var at string
	cmd := &cobra.Command{
		Use:               "ls [PATH...]",
		Annotations:       map[string]string{overview: "list"},
		Short:             "List memories",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case sizes && (at != "" || p.long || p.null || len(args) > 1):
				return misusef(cmd.CommandPath(), "--sizes takes one PATH, and no other flag")
			case at != "":
				return withStoreOf(&p.storeOpener, cmd, at, args, printEntriesAt)
			}
			return p.withStore(cmd.Context(), func(s *engine.Store) error {
				wanted, err := pathArgs(s, cmd.CommandPath(), args)
				if err != nil {
					return err
				}
				if len(args) == 0 {
					wanted = append(wanted, workingPath(s))
				}
				if sizes {
					return printSizes(cmd.Context(), &p.console, s, wanted[0])
				}
				entries, err := history.Tree(cmd.Context(), s)
				if err != nil {
					return err
				}
				return printEntries(&p.console, s, entries, wanted, len(args) > 0)
			})
		},
	}
	cmd.Flags().BoolVarP(&p.long, "long", "l", false, "also print the last change and the id of each memory")
	cmd.Flags().BoolVar(&sizes, "sizes", false, "print how much space each folder and its history take")
	atFlag(&p.storeOpener, cmd, &at, "list what was there at this `TIME`, or after this change")
	nullFlag(&p.console, cmd)
	return cmd
}

// printEntries prints the entries in the wanted folders. If the user named them, none may be empty.
func printEntries(p *console, s *engine.Store, entries []versions.Entry, wanted []memfs.Path, named bool) error {
	width := actorWidth
	if p.terminal {
		width = 0
		for _, e := range entries {
			width = min(max(width, text.Width(p.safe(actors.Fitting(actors.Name(e.Actor), actorWidth)))), actorWidth)
		}
	}
	found := make([]bool, len(wanted))
	empty := true
	for _, e := range entries {
		show := false
		for i, w := range wanted {
			if e.Path.In(w) {
				found[i], show = true, true
			}
		}
		if !show {
			continue
		}
		empty = false
		switch {
		case p.json:
			p.emit(entryOf(e))
		case p.null && e.Kind == versions.Unreadable: // its path may be that of a parent folder
		case p.null:
			p.printName(e.Path.Tool())
		default:
			printEntry(p, e, width)
		}
	}
	for i, w := range wanted {
		if named && !found[i] && !w.IsRoot() {
			return fmt.Errorf("%w: %s", versions.ErrNoMemory, w.Tool())
		}
	}
	if empty {
		reportEmpty(p, s, "no memories in %s", strings.Join(toolPaths(wanted), ", "))
	}
	return nil
}

// reportEmpty reports an empty result, with the store, on a terminal.
func reportEmpty(p *console, s *engine.Store, format string, args ...any) {
	if p.terminal && !p.json && !p.null {
		info := s.Info()
		fmt.Fprintf(p.err, "memend: %s; store %s (%s)\n", p.safe(fmt.Sprintf(format, args...)), p.safe(info.Name), p.safe(info.Folder))
	}
}

const actorWidth = 14

// actorColumn formats an actor for a table. Only on a terminal is it cut: first the
// client's version, then its name.
func actorColumn(p *console, name string) string {
	name = actors.Fitting(name, actorWidth)
	return p.column(name, max(actorWidth, map[bool]int{false: text.Width(p.safe(name))}[p.terminal]))
}

func printEntry(p *console, e versions.Entry, width int) {
	by, at := "", ""
	if e.Kind == versions.Memory {
		by = actors.Fitting(actors.Name(e.Actor), width)
	}
	if !e.Time.IsZero() {
		at = when(e.Time)
	}
	path := p.safe(e.Path.Tool())
	if e.Redacted != nil {
		path = string(e.Version)
	}
	who := p.column(by, width)
	if !p.terminal {
		who = actorColumn(p, by)
	}
	ids := ""
	if p.long {
		change := ""
		if e.Change != 0 {
			change = fmt.Sprint(e.Change)
		}
		ids = fmt.Sprintf("%6s  %s  ", change, p.short(string(e.Memory)))
	}
	p.tableLine(fmt.Sprintf("%8s  %-16s  %s%s  ", units.Bytes(e.Size), at, ids, who), path, entryNote(e))
}

// entryNote describes what is special about an entry.
func entryNote(e versions.Entry) string {
	var notes []string
	switch e.Kind {
	case versions.Memory:
		if e.Note != "" {
			notes = append(notes, e.Note)
		}
	case versions.LinkEntry:
		return " -> " + text.Field(e.Note)
	case versions.TooBig:
		notes = append(notes, "too big to be kept as a memory")
	case versions.Special:
		notes = append(notes, cmp.Or(e.Note, "not a regular file"))
	case versions.Unreadable:
		notes = append(notes, text.Field(e.Note))
	}
	if e.Redacted != nil {
		notes = append(notes, "redacted")
	}
	if e.Binary {
		notes = append(notes, "not UTF-8 text")
	}
	if e.Hidden > 0 {
		notes = append(notes, plural(e.Hidden, "hidden character"))
	}
	if len(notes) == 0 {
		return ""
	}
	return "  [" + strings.Join(notes, ", ") + "]"
}

type usageJSON struct {
	Path     string `json:"path"`
	Memories int    `json:"memories"`
	Bytes    int64  `json:"content_size_bytes"`
	Versions int    `json:"versions"`
	History  int64  `json:"history_size_bytes"`
}

// printSizes prints the space that each folder takes with all folders below it.
func printSizes(ctx context.Context, p *console, s *engine.Store, in memfs.Path) error {
	all, err := history.Usage(ctx, s)
	if err != nil {
		return err
	}
	sums := map[memfs.Path]*usageJSON{}
	if in.IsRoot() {
		sums[in] = &usageJSON{}
	}
	for _, u := range all {
		if !u.Path.In(in) {
			continue
		}
		for at := u.Path; ; at = at.Dir() {
			if at != u.Path || at == in { // a folder, or the memory asked for
				add(sums, at, u)
			}
			if at == in {
				break
			}
		}
	}
	if len(sums) == 0 {
		return fmt.Errorf("%w: %s", versions.ErrNoMemory, in.Tool())
	}
	var paths []memfs.Path
	for at := range sums {
		paths = append(paths, at)
	}
	// A folder comes after its content, as in du.
	slices.SortFunc(paths, func(a, b memfs.Path) int {
		return strings.Compare(a.Tool()+"/\xff", b.Tool()+"/\xff")
	})
	if !p.json {
		p.println("%8s  %8s  %8s  %8s  %s", "memories", "size", "versions", "history", "path")
	}
	for _, at := range paths {
		u := sums[at]
		u.Path = at.Tool()
		p.answer(u, "%8d  %8s  %8d  %8s  %s", u.Memories, units.Bytes(u.Bytes), u.Versions, units.Bytes(u.History), p.safe(u.Path))
	}
	return nil
}

func add(sums map[memfs.Path]*usageJSON, at memfs.Path, u versions.Usage) {
	sum := sums[at]
	if sum == nil {
		sum = &usageJSON{}
		sums[at] = sum
	}
	if u.Current {
		sum.Memories++
	}
	sum.Bytes += u.Bytes
	sum.Versions += u.Versions
	sum.History += u.History
}
