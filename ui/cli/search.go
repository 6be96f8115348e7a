package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/plan"
)

// searching is what one search command is asked to do.
type searching struct {
	in           string // the folder or memory to search; empty for all
	history, all bool   // of all versions; in all stores
	pattern      bool   // the query is a regular expression
	replaces     bool
	with         string // the replacement
	anyCase      bool
	paths        bool // print only the path of each memory
	plan         planFlags
	command      string // for errors
	q            versions.Query
}

func searchCommand(p *program) *cobra.Command {
	var s searching
	cmd := &cobra.Command{
		Use:         "search QUERY...",
		Annotations: map[string]string{overview: "find text", changes: "replace", pages: "", whole: ""},
		Short:       "Find text in memories, or in all their versions",
		RunE: func(cmd *cobra.Command, args []string) error {
			s.command, s.replaces = cmd.CommandPath(), cmd.Flags().Changed("replace")
			s.q = versions.Query{Text: strings.Join(args, " "), Regexp: s.pattern, AnyCase: s.anyCase}
			if err := s.check(p.store, p.json); err != nil {
				return err
			}
			switch {
			case s.replaces:
				return searchAndReplace(cmd.Context(), &p.storeOpener, s)
			case s.all:
				return searchAllStores(cmd.Context(), &p.homeOpener, s)
			}
			return searchStore(cmd.Context(), &p.storeOpener, s)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.in, "path", "", "only in this folder or memory (`PATH`)")
	flags.BoolVar(&s.history, "history", false, "search all versions")
	flags.BoolVar(&s.all, "all-stores", false, "search all stores of this home")
	flags.BoolVarP(&s.pattern, "regexp", "E", false, "the query is a regular expression")
	flags.StringVar(&s.with, "replace", "", "replace all matches with `TEXT`")
	flags.BoolVar(&s.plan.dryRun, "dry-run", false, "show what --replace would do, and change nothing")
	flags.BoolVarP(&s.anyCase, "ignore-case", "i", false, "ignore case, even if the query has a capital letter")
	flags.BoolVarP(&s.paths, "files-with-matches", "l", false, "print only the paths of the memories found")
	complete(cmd, "path", p.completePaths)
	return cmd
}

// check refuses flags that don't go together, an empty query, and a pattern that is none.
func (s *searching) check(store string, json bool) error {
	switch {
	case s.paths && json:
		return misusef(s.command, "-l and --json exclude each other")
	case s.replaces && s.paths:
		return misusef(s.command, "--replace shows its plan with --dry-run: leave out -l")
	case s.pattern && s.q.Text == "", !s.pattern && strings.Trim(s.q.Text, " \t\r\n\"") == "":
		return misusef(s.command, "search: the query is empty")
	case s.replaces && s.history:
		return misusef(s.command, "--replace changes all current memories: leave out --history")
	case s.all && (s.replaces || store != ""):
		return misusef(s.command, "--all-stores searches every store: leave out --store and --replace")
	case s.plan.dryRun && !s.replaces:
		return misusef(s.command, "--dry-run is for --replace: a search changes nothing")
	}
	if s.pattern {
		if _, err := match.Compile(s.q.Text); err != nil {
			return &misuse{&hinted{err, patternHint(err)}, s.command}
		}
	}
	return nil
}

// within returns the query, limited to the part of a store that is to be searched.
func (s *searching) within(store *engine.Store) (q versions.Query, err error) {
	q = s.q
	if s.in != "" {
		q.In, err = pathArg(store, s.command, s.in)
	}
	return q, err
}

func searchAndReplace(ctx context.Context, p *storeOpener, s searching) error {
	r := plan.Replacement{Query: s.q, With: s.with}
	if err := r.Check(); err != nil {
		return &misuse{err, s.command}
	}
	return p.withStore(ctx, func(store *engine.Store) (err error) {
		if r.Query, err = s.within(store); err != nil {
			return err
		}
		return replaceTexts(ctx, &p.caller, store, r, &s.plan)
	})
}

func searchStore(ctx context.Context, p *storeOpener, s searching) error {
	out := hitPrinter{p: &p.console, paths: s.paths}
	with, find := p.withStoreUnsynced, out.search
	if s.history {
		with, find = func(ctx context.Context, do func(*engine.Store) error) error { return p.withPast(ctx, nil, do) }, out.searchPast
	}
	return with(ctx, func(store *engine.Store) error {
		q, err := s.within(store)
		if err != nil {
			return err
		}
		if err := find(ctx, store, q); err != nil && !errors.Is(err, errReported) || out.n > 0 {
			return err
		}
		switch {
		case s.history:
			return nothingFound(q, "")
		case q.Regexp:
			return nothingFound(q, "`memend search --history --regexp` also searches past versions")
		}
		near, err := vhistory.Near(ctx, store, q)
		if err != nil {
			return err
		}
		hint := "`memend search --history` also searches past versions"
		if words := wording.Near(near, strconv.Quote); words != "" {
			hint = words + "; " + hint
		}
		return nothingFound(q, hint)
	})
}

func (h *hitPrinter) searchPast(ctx context.Context, s *engine.Store, q versions.Query) error {
	return vhistory.SearchHistory(ctx, s, q, h.past)
}

func (h *hitPrinter) search(ctx context.Context, s *engine.Store, q versions.Query) error {
	found, err := vhistory.Search(ctx, s, q, h.hit)
	if err != nil {
		return err
	}
	for _, u := range found.Unread {
		fmt.Fprintf(h.p.err, "memend: not searched: %s\n", text.Field(u.Err.Error()))
	}
	if len(found.Unread) > 0 {
		return errReported
	}
	return nil
}

// searchAllStores reports a store that can't be searched, and then exits with failure.
func searchAllStores(ctx context.Context, p *homeOpener, s searching) (err error) {
	if s.q.In, err = pathAnywhere(cmp.Or(s.in, memfs.Root.String())); err != nil {
		return &misuse{err, s.command}
	}
	return p.withTrail(ctx, func(t *engine.Trail) error {
		out := hitPrinter{p: &p.console, paths: s.paths}
		err := eachStore(ctx, &p.console, t, "searched", func(info versions.StoreInfo) error {
			out.store = &info
			if s.history {
				return withOpenPast(ctx, &p.console, t, info, nil, func(store *engine.Store) error { return out.searchPast(ctx, store, s.q) })
			}
			return withOpen(ctx, t, info, func(store *engine.Store) error { return out.search(ctx, store, s.q) })
		})
		if err == nil && out.n == 0 {
			err = nothingFound(s.q, "")
		}
		return err
	})
}

func nothingFound(q versions.Query, hint string) error {
	err := fmt.Errorf("search %s: nothing found", q.Text)
	if !q.In.IsRoot() {
		err = fmt.Errorf("search %s in %s: nothing found", q.Text, q.In.Tool())
	}
	if hint == "" {
		return err
	}
	return &hinted{err, hint}
}

type foundLineJSON struct {
	Line    int          `json:"line"`
	Text    *string      `json:"text,omitempty"`
	Encoded []byte       `json:"text_base64,omitempty"` // if it is not UTF-8
	Offset  int          `json:"offset"`                // of the text, in the memory
	Before  bool         `json:"cut_before,omitempty"`
	After   bool         `json:"cut_after,omitempty"`
	Matches []match.Span `json:"matches"` // in the text
}

type hitStoreJSON struct {
	StoreID string `json:"memory_store_id,omitempty"`
	Store   string `json:"store,omitempty"`
}

type hitJSON struct {
	hitStoreJSON
	entryJSON
	Score       int             `json:"score"`
	Count       int             `json:"match_count"`
	PathMatches []match.Span    `json:"path_matches,omitempty"`
	Lines       []foundLineJSON `json:"lines"`
}

type pastHitJSON struct {
	hitStoreJSON
	Path     string          `json:"path"`
	MemoryID string          `json:"memory_id"`
	First    versionJSON     `json:"first_version"`
	Last     versionJSON     `json:"last_version"`
	Current  bool            `json:"current"`
	Count    int             `json:"match_count"`
	Lines    []foundLineJSON `json:"lines"`
}

func spansOf(spans []match.Span, by int) (out []match.Span) {
	for _, sp := range spans {
		out = append(out, match.Span{Start: sp.Start + by, End: sp.End + by})
	}
	return out
}

func foundLinesOf(lines []match.Line) []foundLineJSON {
	out := []foundLineJSON{}
	for _, l := range lines {
		j := foundLineJSON{Line: l.Number, Offset: l.Offset, Before: l.Before, After: l.After, Matches: append([]match.Span{}, l.Spans...)}
		text := textOf([]byte(l.Text))
		j.Text, j.Encoded = text.Content, text.Encoded
		out = append(out, j)
	}
	return out
}

// hitPrinter prints hits as they are found.
type hitPrinter struct {
	p     *console
	paths bool // print only the path of each memory
	th    *theme.Theme
	store *versions.StoreInfo // the store searched; nil if there is only one
	n     int
}

// prefix returns what to print before a path.
func (h *hitPrinter) prefix() string {
	if h.store == nil {
		return ""
	}
	return h.store.Name + ":"
}

// in returns the store of a hit, when several are searched.
func (h *hitPrinter) in() hitStoreJSON {
	if h.store == nil {
		return hitStoreJSON{}
	}
	return hitStoreJSON{string(h.store.ID), h.store.Name}
}

// root is the length of the prefix that printed paths have and paths in the store don't.
var root = len(memfs.Root.Tool()) + 1

func (h *hitPrinter) hit(hit versions.Hit) bool {
	prefix := h.prefix()
	return h.print(prefix+hit.Path.Tool(), spansOf(hit.Spans, root+len(prefix)), "", hit.Lines, func() any {
		return hitJSON{h.in(), entryOf(hit.Entry), hit.Score, hit.Count, spansOf(hit.Spans, root), foundLinesOf(hit.Lines)}
	})
}

func (h *hitPrinter) past(hit versions.HistoryHit) bool {
	since := fmt.Sprintf("by %s on %s", h.p.safe(actors.Name(hit.First.Actor)), when(hit.First.Time))
	if hit.First.Number < hit.Last.Number {
		since = fmt.Sprintf("since version %d %s", hit.First.Number, since)
	}
	if !hit.Stands {
		since += fmt.Sprintf(", gone in version %d", hit.Last.Number+1)
	}
	path := hit.Last.Path.Tool()
	return h.print(fmt.Sprintf("%s%s@%d", h.prefix(), path, hit.Last.Number), nil, "  "+since, hit.Lines, func() any {
		return pastHitJSON{h.in(), path, string(hit.Last.Memory), uncounted(versionOf(hit.First)), uncounted(versionOf(hit.Last)), hit.Stands, hit.Count, foundLinesOf(hit.Lines)}
	})
}

// print prints a hit: as JSON, as a name, in lines that other programs can split, or for a terminal.
func (h *hitPrinter) print(name string, spans []match.Span, note string, lines []match.Line, object func() any) bool {
	h.n++
	switch {
	case h.p.json:
		h.p.emit(object())
	case h.paths, !h.p.terminal && len(lines) == 0:
		h.p.println("%s", h.p.safe(name))
	case !h.p.terminal:
		for _, l := range lines {
			h.p.println("%s:%d:%s", h.p.safe(name), l.Number, l.Text)
		}
	default:
		h.printMarked(name, spans, note, lines)
		return h.p.out.Flush() == nil // show each hit at once; an error will be reported by the next flush
	}
	return true
}

// printMarked prints a hit for a terminal, apart from the previous one.
func (h *hitPrinter) printMarked(name string, spans []match.Span, note string, lines []match.Line) {
	if h.n == 1 {
		h.th = styles()
	} else {
		h.p.println("")
	}
	h.p.println("%s%s", h.marked(h.th.Strong, name, spans), note)
	for _, l := range lines {
		before, after := cutMarks(l)
		h.p.println("%s:%s%s%s", h.th.LineNumber.Append(nil, fmt.Sprint(l.Number)), before, h.marked(h.th.Text, l.Text, l.Spans), after)
	}
}

// cutMarks returns what marks that a line has more text before and after.
func cutMarks(l match.Line) (before, after string) {
	if l.Before {
		before = "…"
	}
	if l.After {
		after = "…"
	}
	return before, after
}

// marked escapes s and highlights the matches.
func (h *hitPrinter) marked(style theme.Style, s string, found []match.Span) []byte {
	var spans []text.Span
	for _, sp := range found {
		spans = append(spans, text.Span{From: sp.Start, To: sp.End, On: h.th.Match.On})
	}
	out, _ := text.Line{Width: math.MaxInt32, Base: style.On}.Append(nil, s, spans)
	return out
}
