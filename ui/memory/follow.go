package memory

import (
	"context"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/ui/syntax"
	"github.com/memtrail/memtrail/versions"
)

// linkState is the link that was chosen, and the question where one leads.
type linkState struct {
	on   bool
	line int
	link link
	asks screen.Question
}

func (s *linkState) forget() { s.on = false }

// destination is where a link leads.
type destination struct {
	link    link
	path    memfs.Path   // where there is a memory
	line    int          // of its heading, from 1; 0 for none
	heading string       // that there is not
	others  []memfs.Path // that could be meant instead
	missing memfs.Path   // where there is none and one could be written
	err     error
}

// linksOf are the links of a line that is held.
func (m *Pane) linksOf(line int) []link {
	d := m.doc
	if !d.window.holds(line) {
		return nil
	}
	st := syntax.Body
	if line < len(d.states) {
		st = d.states[line]
	} else if line == 0 {
		st = 0
	}
	return linksIn(nil, d.lang, d.window.line(line), st)
}

// hop chooses the next link, or the one before, from the one that is chosen or
// from the top of the screen; around the ends of what is held.
func (m *Pane) hop(d int) tea.Cmd {
	w := m.doc.window
	n := len(w.lines)
	if n == 0 {
		return nil
	}
	line, at := m.top.line, -1
	if m.link.on && m.shows(m.link.line) {
		line, at = m.link.line, m.link.link.from
	} else if d < 0 {
		at = 0
	}
	for range n + 1 {
		links := m.linksOf(line)
		if d < 0 {
			slices.Reverse(links)
		}
		for _, l := range links {
			if at == -1 || d > 0 && l.from > at || d < 0 && l.from < at {
				m.chooseLink(line, l)
				return m.Fetch()
			}
		}
		line, at = w.first+((line-w.first+d)%n+n)%n, -1
	}
	return screen.Ask(screen.Notice{Text: "no link in " + m.doc.path.String()})
}

func (m *Pane) chooseLink(line int, l link) {
	m.goTo(line)
	m.link.on, m.link.line, m.link.link = true, line, l
}

// enter follows the chosen link; without one it chooses the first that shows, so
// that one sees where Enter leads. Where lines are blamed it shows their writer.
func (m *Pane) enter(int) tea.Cmd {
	switch {
	case m.link.on && m.shows(m.link.line):
		return m.follow(m.link.link)
	case m.blame.on:
		return m.showWriter()
	}
	for y := range m.h {
		at, ok := m.rowAt(y)
		if !ok {
			break
		}
		if links := m.linksOf(at.line); len(links) > 0 && at.row == m.ruled(at.line) {
			m.chooseLink(at.line, links[0])
			return nil
		}
	}
	return screen.Ask(screen.Notice{Text: "no link on the screen: ]l goes to the next"})
}

// follow finds where a link leads, and goes there.
func (m *Pane) follow(l link) tea.Cmd {
	if external(l.target) {
		return browse(l.target)
	}
	if s := scheme(l.target); s != "" && !l.wiki {
		return screen.Ask(screen.Notice{Text: "link: “" + s + ":” addresses are not opened", Bad: true})
	}
	ctx, id := m.link.asks.Begin(m.ctx)
	store, from := m.store, m.doc.path
	return func() tea.Msg { return linkMsg{id: id, from: from, to: resolve(ctx, store, from, l)} }
}

// resolve looks for the memory that a link means: at the paths that it may be, or
// anywhere under its name.
func resolve(ctx context.Context, store Store, from memfs.Path, l link) destination {
	to := destination{link: l}
	entries, err := store.Tree(ctx)
	if err != nil {
		to.err = err
		return to
	}
	there := map[memfs.Path]bool{}
	for _, e := range entries {
		there[e.Path] = true
	}
	paths, heading := candidates(from, l)
	for _, p := range paths {
		for _, p := range append([]memfs.Path{p}, indexes(p)...) {
			if there[p] {
				to.path = p
				to.line, to.heading = findHeading(ctx, store, p, heading)
				return to
			}
		}
	}
	if len(paths) > 0 {
		to.missing = paths[0]
		if i := slices.IndexFunc(paths, func(p memfs.Path) bool { return path.Ext(p.Base()) != "" }); i >= 0 {
			to.missing = paths[i]
		}
		to.others = named(entries, paths[0].Base())
	}
	if l.wiki && len(to.others) == 1 {
		to.path, to.others = to.others[0], nil
		to.line, to.heading = findHeading(ctx, store, to.path, heading)
	}
	return to
}

// indexes are the memories that stand for a folder.
func indexes(p memfs.Path) []memfs.Path {
	var out []memfs.Path
	for _, name := range []string{indexName, "README.md", "index.md"} {
		if q, err := p.Join(name); err == nil {
			out = append(out, q)
		}
	}
	return out
}

// maxNamed is how many memories of one name are offered.
const maxNamed = 7

// named finds memories by their name, with or without its ending, whatever its case.
func named(entries []versions.Entry, name string) []memfs.Path {
	bare := strings.TrimSuffix(name, path.Ext(name))
	var out []memfs.Path
	for _, e := range entries {
		base := e.Path.Base()
		if strings.EqualFold(base, name) || strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), bare) {
			if out = append(out, e.Path); len(out) == maxNamed {
				break
			}
		}
	}
	return out
}

// findHeading is the line of a heading, from 1; the heading itself when it is not
// there.
func findHeading(ctx context.Context, store Store, p memfs.Path, heading string) (line int, missing string) {
	if heading == "" {
		return 0, ""
	}
	f, err := store.Open(ctx, p)
	if err != nil {
		return 0, heading
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, 0, min(f.Size(), wholeFile)))
	if err != nil {
		return 0, heading
	}
	want := slug(heading)
	var st syntax.State
	for i, s := range strings.Split(string(b), "\n") {
		if text, ok := headingText(s, st); ok && slug(text) == want {
			return i + 1, ""
		}
		_, st = syntax.Markdown.Line(nil, s, st)
	}
	return 0, heading
}

// linked goes where a link leads, or says what is missing there.
func (m *Pane) linked(msg linkMsg) tea.Cmd {
	if !m.link.asks.Current(msg.id) || msg.from != m.Path() {
		return nil
	}
	to := msg.to
	switch {
	case to.err != nil:
		return screen.Ask(screen.Notice{Text: "link: " + to.err.Error(), Bad: true})
	case !to.path.IsRoot():
		return m.goThere(to)
	case to.missing.IsRoot():
		return screen.Ask(screen.Notice{Text: "link: “" + to.link.target + "” leads out of the store", Bad: true})
	}
	return m.offer(to)
}

func (m *Pane) goThere(to destination) tea.Cmd {
	var cmds []tea.Cmd
	if to.heading != "" {
		cmds = append(cmds, screen.Ask(screen.Notice{Text: "link: " + to.path.String() + " has no heading “" + to.heading + "”", Bad: true}))
	}
	if to.path == m.Path() {
		if to.line > 0 {
			m.visits.push(m.visit())
			m.goTo(to.line - 1)
			m.top = place{line: m.here}
			m.scroll(0)
		}
		return tea.Batch(append(cmds, m.Fetch())...)
	}
	return tea.Batch(append(cmds, screen.Ask(screen.Open{Path: to.path, Line: to.line}))...)
}

// offer says that a link leads nowhere, and what could be done.
func (m *Pane) offer(to destination) tea.Cmd {
	q := screen.Choose{Title: "broken link", Text: "There is no memory at " + to.missing.String() + "."}
	if n := len(to.others); n > 0 {
		q.Text += " " + draw.Plural(n, "other has this name.", "others have this name.")
	}
	for i, p := range to.others {
		q.Options = append(q.Options, screen.Option{Key: strconv.Itoa(i + 1), Label: "open " + p.String(), Then: func() tea.Cmd {
			return screen.Ask(screen.Open{Path: p})
		}})
	}
	q.Options = append(q.Options,
		screen.Option{Key: "c", Label: "create " + to.missing.String(), Then: func() tea.Cmd { return screen.Ask(screen.Create{Path: to.missing}) }},
		screen.Option{Key: "n", Label: "stay here"})
	return screen.Ask(q)
}
