package memory

import (
	"cmp"
	"context"
	"io"
	"path"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// destination is the target of a link.
type destination struct {
	link    link
	path    memfs.Path   // if there is a memory
	line    int          // of its heading, from 1; 0 for none
	heading string       // set if it was not found
	others  []memfs.Path // memories of the same name, if there is none at the target
	missing memfs.Path   // where the target could be created
	err     error
}

// chosen reports whether a link is chosen and on the screen.
func (m *Pane) chosen() bool { return m.link != nil && m.text.shows(m.link.Line) }

// hop chooses the n-th next link, or previous one if n is negative, from the chosen link or the current line.
func (m *Pane) hop(n int) tea.Cmd {
	d := cmp.Compare(n, 0)
	from := spot{m.text.cur.line, -1}
	if m.chosen() {
		from = spot{m.link.Line, m.link.From}
	}
	for range min(max(n, -n), 1000) {
		l, ok := m.text.doc.nextLink(from, d)
		if !ok {
			return m.env.Do(screen.Notice{Text: "no link in " + m.text.doc.path.String()})
		}
		m.choose(l)
		from = spot{l.Line, l.From}
	}
	return nil
}

func (m *Pane) choose(l link) {
	m.text.reach(spot{l.Line, l.From})
	m.link = &l
}

// enter follows the chosen link; without one it chooses the first on the screen, so that
// the person sees where Enter leads. While blame is shown, it shows the version that wrote the line.
func (m *Pane) enter(int) tea.Cmd {
	v := &m.text
	switch {
	case m.chosen():
		return m.follow(*m.link)
	case v.blame.on:
		r := v.blame.lines.run(v.cur.line)
		if r == nil {
			return m.env.Do(screen.Notice{Text: "blame: this line is in no version yet", Bad: true})
		}
		return m.env.Do(screen.History{Path: v.doc.path, Memory: r.By.Memory, Version: r.By.ID})
	}
	last := -1
	for y := range v.win.H {
		line, ok := v.lineAt(y)
		if !ok {
			break
		}
		if line == last {
			continue
		}
		last = line
		if links := v.doc.linksOf(line); len(links) > 0 && v.shows(line) {
			m.choose(links[0])
			return nil
		}
	}
	return m.env.Do(screen.Notice{Text: "no link on the screen: " + m.keys.Hint("next-link") + " goes to the next"})
}

func (m *Pane) linkDisabled() string {
	if why := m.textDisabled(); why != "" || m.text.blame.on || m.text.doc.md == nil {
		return why
	}
	if len(m.text.doc.links) == 0 {
		return "it has no link"
	}
	return ""
}

// follow resolves a link and goes to its target.
func (m *Pane) follow(l link) tea.Cmd {
	if l.Kind == markdown.URL {
		if external(l.Target) {
			return m.env.Do(screen.Copy{What: l.Target, Text: l.Target})
		}
		return m.env.Do(screen.Notice{Text: "link: such an address is not copied: " + l.Target, Bad: true})
	}
	store, from := m.store, m.text.doc.path
	return m.following.Begin(m.env.Ctx, func(ctx context.Context) (destination, error) {
		return resolve(ctx, store, from, l), nil
	}, func(to destination, _ error) tea.Cmd { return m.goToTarget(to) })
}

// resolve finds the memory that a link refers to. A link to a folder refers to its index.
func resolve(ctx context.Context, store Store, from memfs.Path, l link) destination {
	to := destination{link: l}
	entries, err := store.Tree(ctx)
	if err != nil {
		to.err = err
		return to
	}
	paths := func(yield func(memfs.Path) bool) {
		for _, e := range entries {
			if !yield(e.Path) {
				return
			}
		}
	}
	p, anchor, ok := markdown.Resolve(from, l.Link, paths)
	if !ok && l.Kind == markdown.Path {
		folder, heading, _ := strings.Cut(l.Target, "#")
		for _, name := range []string{places.IndexName, "README.md", "index.md"} {
			index := l.Link
			index.Target = strings.TrimSuffix(folder, "/") + "/" + name + "#" + heading
			if p, anchor, ok = markdown.Resolve(from, index, paths); ok {
				break
			}
		}
	}
	if ok {
		to.path = p
		to.line, to.heading = findAnchor(ctx, store, p, anchor)
		return to
	}
	if to.missing = missing(from, l); !to.missing.IsRoot() {
		to.others = named(entries, to.missing.Base())
	}
	return to
}

// maxNamed is how many memories of the same name are offered.
const maxNamed = 7

// named finds memories by their name, with or without extension, ignoring case.
func named(entries []versions.Entry, name string) []memfs.Path {
	bare := strings.TrimSuffix(name, path.Ext(name))
	var out []memfs.Path
	for _, e := range entries {
		base := e.Path.Base()
		if strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), bare) {
			if out = append(out, e.Path); len(out) == maxNamed {
				break
			}
		}
	}
	return out
}

// findAnchor returns the line, from 1, of a heading or a footnote, or its name if it does
// not exist.
func findAnchor(ctx context.Context, store Store, p memfs.Path, anchor string) (line int, missing string) {
	if anchor == "" {
		return 0, ""
	}
	f, err := store.Open(ctx, p)
	if err != nil {
		return 0, anchor
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, 0, maxMarkdown))
	if err != nil {
		return 0, anchor
	}
	if line, ok := markdown.Parse(b).Anchor(anchor); ok {
		return line + 1, ""
	}
	return 0, anchor
}

// goToTarget goes to the target of a link, or reports what is missing.
func (m *Pane) goToTarget(to destination) tea.Cmd {
	report := func(text string) tea.Cmd { return m.env.Do(screen.Notice{Text: "link: " + text, Bad: true}) }
	switch {
	case to.err != nil:
		return report(to.err.Error())
	case to.path.IsRoot() && to.missing.IsRoot():
		return report("“" + to.link.Target + "” leaves the store")
	case to.path.IsRoot():
		return m.env.Do(to.offer(m.env.Do))
	}
	var missing tea.Cmd
	if to.heading != "" {
		missing = report(to.path.String() + " has no heading “" + to.heading + "”")
	}
	if to.path != m.Path() {
		return tea.Batch(missing, m.env.Do(screen.Open{Path: to.path, Line: to.line}))
	}
	if to.line > 0 {
		m.visits.push(m.visit())
		m.text.goTo(to.line - 1)
		m.text.showFrom(spot{line: m.text.cur.line})
	}
	return missing
}

// offer reports a broken link, and offers alternatives.
func (to destination) offer(do func(screen.Request) tea.Cmd) screen.Choose {
	q := screen.Choose{Title: "broken link", Text: "There is no memory at " + to.missing.String() + "."}
	if n := len(to.others); n > 0 {
		q.Text += " " + draw.Plural(n, "other has this name.", "others have this name.")
	}
	for i, p := range to.others {
		q.Options = append(q.Options, screen.Option{Key: strconv.Itoa(i + 1), Label: "open " + p.String(), Then: func() tea.Cmd { return do(screen.Open{Path: p}) }})
	}
	q.Options = append(q.Options,
		screen.Option{Key: "c", Label: "create " + to.missing.String(), Then: func() tea.Cmd { return do(screen.Create{Path: to.missing}) }},
		screen.Option{Key: "n", Label: "stay here"})
	return q
}
