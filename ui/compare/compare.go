// Package compare is the screen that compares two memories, such as near duplicates.
package compare

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// Text is one of the two texts.
type Text struct {
	Path    memfs.Path
	Content []byte
	Name    string // the version of the memory, such as "v3"; empty: the current one

	Store string         // the name of its store, if the two may be in different ones
	Open  func() tea.Cmd // opens the memory; nil: it is in the store that is open
}

func (t Text) name() string {
	name := t.Path.String()
	if t.Store != "" {
		name = t.Store + ":" + name
	}
	if t.Name != "" {
		name += " " + t.Name
	}
	return name
}

// Pane is the screen. Create it with New.
type Pane struct {
	screen.Plain
	env   screen.Env
	texts [2]Text // the lines of the first are removed, those of the second added
	doc   *diffview.Document
	diff  *diffview.View
	keys  *keys.Map[*Pane]
	w, h  int
}

// New compares two texts. It is slow for large ones: call it from a command. The texts must
// not be changed afterwards.
func New(env screen.Env, a, b Text) *Pane {
	p := &Pane{
		env: env, texts: [2]Text{a, b}, doc: diffview.Compare(b.Path.Base(), a.Content, b.Content),
		diff: diffview.New(env.Theme, env.Keys), keys: keys.New("compare", env.Keys, actions()),
	}
	p.diff.SetFocused(true)
	p.diff.Show(p.doc)
	return p
}

// Title returns the names of both, and how much differs.
func (p *Pane) Title() (name, info string) {
	added, removed := p.doc.Counts()
	parts := []string{fmt.Sprintf("+%d −%d", added, removed)}
	if i, n := p.diff.Hunk(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d", i+1, n))
	}
	return "compare " + p.names(), strings.Join(parts, " · ")
}

func (p *Pane) names() string {
	a, b := p.texts[0], p.texts[1]
	if a.Path == b.Path && a.Store == b.Store {
		return a.Path.String() + " " + a.Name + " → " + b.Name
	}
	return a.name() + " → " + b.name()
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	return p.diff.View()
}

// Update handles the mouse.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(tea.MouseMsg); ok {
		return p.diff.Update(msg)
	}
	return nil
}

// SetSize sets the columns and rows of View.
func (p *Pane) SetSize(w, h int) {
	p.w, p.h = max(w, 0), max(h, 0)
	p.diff.SetSize(p.w, p.h)
}

func (p *Pane) SetTheme(th *theme.Theme) { p.diff.SetTheme(th) }

// SetWrap sets whether long lines are wrapped.
func (p *Pane) SetWrap(on bool) { p.diff.SetWrap(on) }

// Beyond reports whether a drag is held above or below.
func (p *Pane) Beyond() bool { return p.diff.Beyond() }

// open leaves the screen for one of the two.
func (p *Pane) open(i int) tea.Cmd {
	if open := p.texts[i].Open; open != nil {
		return open()
	}
	return p.env.Do(screen.Open{Path: p.texts[i].Path})
}

func (p *Pane) copyDiff(int) tea.Cmd {
	return p.env.Do(screen.Copy{What: "the diff " + p.names(), Text: string(p.doc.Unified("a/"+p.texts[0].Path.Rel(), "b/"+p.texts[1].Path.Rel()))})
}
