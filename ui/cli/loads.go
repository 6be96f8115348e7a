package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/agent/instructions"
	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) loadsCommand() *cobra.Command {
	tool := ""
	cmd := &cobra.Command{
		Use:         "loads [DIR]",
		Annotations: map[string]string{pages: ""},
		Short:       "Show which files a new session of an agent in a directory loads",
		Long: `Show what a new session of a coding agent, started in DIR or here, loads at its
start: the instructions of the organization, the person, the directories above
DIR and DIR itself, rules, what these files import with @PATH, and the beginning
of the agent's memory. The files are in load order, each with its lines and an
estimate of its tokens; imports are indented. What is found but not loaded at
the start follows, with the reason, and where only a part of a file is loaded,
which lines are not. [STORE:PATH] is the memory of a store of this home that the
file is.

Without --tool, the command answers for each tool that loads something or has a
configuration. The rules are those of the tools' documentation and code; what a
tool decides while it runs, such as extensions and flags, is not known. Nothing
is run and nothing is written.`,
		Example: `  memend loads
  memend loads ~/src/app --tool claude-code
  memend loads --json | jq -r 'select(.loaded) | .file'`,
		Args: misused(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) (completions, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			if tool != "" && !slices.Contains(instructions.Tools(), instructions.Tool(tool)) {
				return misusef(cmd.CommandPath(), "--tool %s: must be %s", tool, strings.Join(toolNames(), ", "))
			}
			return p.loads(cmd.Context(), dir, instructions.Tool(tool))
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "only for `TOOL`: "+strings.Join(toolNames(), ", "))
	complete(cmd, "tool", func(*cobra.Command, []string, string) (completions, cobra.ShellCompDirective) {
		return toolNames(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func toolNames() (out []string) {
	for _, t := range instructions.Tools() {
		out = append(out, string(t))
	}
	return out
}

// loads prints what new sessions in a directory load, of one tool or all.
func (p *program) loads(ctx context.Context, dir string, tool instructions.Tool) error {
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return &hinted{fmt.Errorf("no such directory: %s", dir), "name the directory in which the agent is started"}
	}
	stores, err := p.storesIfAny(ctx)
	if err != nil {
		fmt.Fprintf(p.err, "memend: it is unknown which files are memories of a store: %s\n", text.Field(err.Error()))
	}
	sessions, home, err := sessionsIn(ctx, dir, tool)
	if err != nil {
		return err
	}
	for i, s := range sessions {
		if p.json {
			p.emitLoads(s, stores)
			continue
		}
		if i > 0 {
			p.println("")
		}
		loadsTable{p, s, stores, home}.print()
	}
	if len(sessions) == 0 && p.terminal && !p.json {
		fmt.Fprintf(p.err, "memend: no agent that is known loads anything in %s\n", text.Field(dir))
	}
	return nil
}

// sessionsIn returns what new sessions in a directory load, and the person's home folder.
func sessionsIn(ctx context.Context, dir string, tool instructions.Tool) ([]instructions.Session, string, error) {
	roots, err := places.Here()
	if err != nil && roots.Home == "" && roots.Claude == "" {
		return nil, "", err
	}
	if tool == "" {
		all, err := instructions.Here(ctx, dir, roots)
		return all, roots.Home, err
	}
	one, err := instructions.Of(ctx, tool, dir, roots)
	return []instructions.Session{one}, roots.Home, err
}

// storesIfAny returns the stores of the home; none if there is no home.
func (p *program) storesIfAny(ctx context.Context) (all []versions.StoreInfo, err error) {
	t, err := p.peekTrail(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err = t.Stores(ctx)
	return all, errors.Join(err, t.Close())
}

// loadsTable prints what a session loads.
type loadsTable struct {
	*program
	s      instructions.Session
	stores []versions.StoreInfo
	home   string
}

func (t loadsTable) print() {
	files, lines, bytes := t.s.Total()
	t.wrapped(0, fmt.Sprintf("%s in %s: %s, %s, %s", t.s.Tool.Name(), t.safe(shortFolder(t.home, t.s.Dir)), draw.Plural(files, "file", "files"), draw.Plural(int(lines), "line", "lines"), draw.TokenCount(bytes)))
	t.s.Each(func(f *instructions.File, depth int) { t.file(f, depth) })
	if len(t.s.Other) > 0 {
		t.println("Not loaded at the start:")
	}
	for i := range t.s.Other {
		t.file(&t.s.Other[i], 0)
	}
	for _, note := range t.s.Notes {
		t.wrapped(0, "Note: "+t.short(note)+".")
	}
}

// file prints a line for a file, and below it what of it is not loaded.
func (t loadsTable) file(f *instructions.File, depth int) {
	lines, tokens := "", "" // of what is no text, nothing is known
	switch {
	case f.Loaded():
		lines, tokens = strconv.FormatInt(f.LoadedLines, 10), "≈"+draw.Tokens(f.LoadedBytes)
	case f.Lines > 0:
		lines, tokens = strconv.FormatInt(f.Lines, 10), "≈"+draw.Tokens(f.Bytes)
	}
	columns := fmt.Sprintf("%6s %7s  %-7s  %s", lines, tokens, f.Scope, strings.Repeat("  ", depth))
	remark := ""
	if f.Line > 0 {
		remark = fmt.Sprintf("  line %d", f.Line)
	}
	if s, at, ok := instructions.Holder(t.stores, f.Real); ok {
		remark += t.safe("  [" + s.Name + ":" + strings.TrimPrefix(at.String(), "/") + "]")
	}
	t.tableLine(columns, t.safe(t.path(f.Path)), remark)
	for _, about := range []string{f.Why, f.Lost()} {
		if about != "" {
			t.wrapped(text.Width(columns)+2, t.short(about))
		}
	}
}

// wrapped prints a sentence, on a terminal in as many lines as it needs.
func (t loadsTable) wrapped(indent int, s string) {
	rows := []string{s}
	if t.terminal {
		indent = min(indent, t.width()/2)
		rows = text.Rows(s, t.width()-indent, 0)
	}
	for _, row := range rows {
		t.println("%*s%s", indent, "", row)
	}
}

// short replaces the person's home in a sentence with ~.
func (t loadsTable) short(s string) string {
	if t.home != "" {
		s = strings.ReplaceAll(s, t.home+string(filepath.Separator), "~"+string(filepath.Separator))
	}
	return t.safe(s)
}

// path shortens a path: in the directory it is relative to it, in the person's home it begins with ~.
func (t loadsTable) path(path string) string {
	if rel, err := filepath.Rel(t.s.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return shortFolder(t.home, path)
}

// loadedJSON is a file that a session loads, or does not.
type loadedJSON struct {
	Tool        string `json:"tool"`
	Folder      string `json:"folder"`
	File        string `json:"file"`
	Scope       string `json:"scope"`
	Loaded      bool   `json:"loaded,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Bytes       int64  `json:"content_size_bytes"`
	Lines       int64  `json:"line_count"`
	LoadedBytes int64  `json:"loaded_bytes"`
	LoadedLines int64  `json:"loaded_lines"`
	Tokens      int64  `json:"tokens_estimated"`
	Limit       string `json:"limit,omitempty"`
	More        bool   `json:"more,omitempty"`
	ImportedBy  string `json:"imported_by,omitempty"`
	Line        int    `json:"line,omitempty"`
	StoreID     string `json:"memory_store_id,omitempty"`
	Store       string `json:"store,omitempty"`
	Path        string `json:"path,omitempty"`
}

func (p *program) emitLoads(s instructions.Session, stores []versions.StoreInfo) {
	var emit func(f *instructions.File, by string)
	emit = func(f *instructions.File, by string) {
		out := loadedJSON{Tool: string(s.Tool), Folder: s.Dir, File: f.Path, Scope: string(f.Scope), Loaded: f.Loaded(), Reason: f.Why, Bytes: f.Bytes, Lines: f.Lines,
			Limit: f.Cut, More: f.More, ImportedBy: by, Line: f.Line}
		if f.Loaded() {
			out.LoadedBytes, out.LoadedLines, out.Tokens = f.LoadedBytes, f.LoadedLines, f.LoadedBytes/draw.TokenBytes
		}
		if of, at, ok := instructions.Holder(stores, f.Real); ok {
			out.StoreID, out.Store, out.Path = string(of.ID), of.Name, at.Tool()
		}
		p.emit(out)
		for i := range f.Imports {
			emit(&f.Imports[i], f.Path)
		}
	}
	for i := range s.Files {
		emit(&s.Files[i], "")
	}
	for i := range s.Other {
		emit(&s.Other[i], "")
	}
}
