// Package welcome is the first screen of a home without a store: it shows how many memories other tools keep on this
// machine, and one key makes stores of all their folders.
//
// It is a program of its own, because the other screens need a store. Nothing is written before a key is pressed, and
// never in the folders.
package welcome

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Finder finds the folders in which other tools keep memories, and makes stores of them. Its methods may block on the
// disk.
type Finder interface {
	Discover(ctx context.Context) (places.Found, error)
	AddPlace(ctx context.Context, p places.Place) (versions.StoreInfo, error)
}

// Choice is what the person chose.
type Choice int

const (
	None   Choice = iota // nothing
	All                  // stores were made of all folders
	Choose               // to choose among the folders
)

// Model is the screen. New returns one. Bubble Tea runs it; when it has quit, Result returns what became of it.
type Model struct {
	ctx    context.Context
	finder Finder
	theme  Theming
	th     *theme.Theme
	dark   bool
	colors colorprofile.Profile
	ask    bool // for the terminal's background

	w, h   int
	loaded bool
	adding bool
	found  places.Found
	groups []group
	choice Choice
	err    error
}

// group is the folders of one kind.
type group struct {
	kind              places.Kind
	folders, memories int
	more              bool
}

// Theming returns the theme for a terminal.
type Theming func(dark bool, colors colorprofile.Profile) *theme.Theme

// New returns the screen. ask says whether to ask the terminal for its background.
func New(ctx context.Context, finder Finder, th Theming, ask bool) *Model {
	m := &Model{ctx: ctx, finder: finder, theme: th, dark: true, colors: colorprofile.TrueColor, ask: ask}
	m.th = th(m.dark, m.colors)
	return m
}

// Result returns what the person chose, and an error of the search or of a store that could not be made.
func (m *Model) Result() (Choice, error) { return m.choice, m.err }

// Found returns how many folders can become stores.
func (m *Model) Found() int { return len(m.addable()) }

type (
	foundMsg struct {
		found places.Found
		err   error
	}
	addedMsg struct{ err error }
)

// Init searches for folders.
func (m *Model) Init() tea.Cmd {
	search := func() tea.Msg {
		found, err := m.finder.Discover(m.ctx)
		return foundMsg{found, err}
	}
	if !m.ask {
		return search
	}
	return tea.Batch(tea.RequestBackgroundColor, search)
}

// Update handles a message of Bubble Tea.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.th = m.theme(m.dark, m.colors)
	case tea.ColorProfileMsg:
		m.colors = msg.Profile
		m.th = m.theme(m.dark, m.colors)
	case foundMsg:
		m.loaded, m.found, m.err = true, msg.found, msg.err
		m.groups = groupsOf(m.addable())
		if len(m.groups) == 0 { // nothing to add at once: the list says why
			m.choice = Choose
			return m, tea.Quit
		}
	case addedMsg:
		m.err = msg.err
		return m, tea.Quit
	case tea.KeyPressMsg:
		return m, m.press(msg.Keystroke())
	}
	return m, nil
}

func (m *Model) press(key string) tea.Cmd {
	switch {
	case m.adding && key != "ctrl+c":
		return nil
	case key == "q", key == "esc", key == "ctrl+c":
		return tea.Quit
	case !m.loaded:
		return nil
	case key == "c":
		m.choice = Choose
		return tea.Quit
	case key == "a":
		m.adding, m.choice = true, All
		ctx, finder, all := m.ctx, m.finder, m.addable()
		return func() tea.Msg {
			var failed error
			for _, p := range all {
				if _, err := finder.AddPlace(ctx, p); err != nil && failed == nil {
					failed = err
				}
			}
			return addedMsg{failed}
		}
	}
	return nil
}

// addable returns the folders that have a memory and can become stores.
func (m *Model) addable() []places.Place {
	return slices.DeleteFunc(slices.Clone(m.found.Places), func(p places.Place) bool { return !p.CanBeAdded() || p.IsEmpty() })
}

func groupsOf(all []places.Place) (out []group) {
	for _, p := range all {
		i := slices.IndexFunc(out, func(g group) bool { return g.kind == p.Kind })
		if i < 0 {
			i, out = len(out), append(out, group{kind: p.Kind})
		}
		out[i].folders++
		out[i].memories += p.Memories
		out[i].more = out[i].more || p.More
	}
	slices.SortStableFunc(out, func(a, b group) int { return b.memories - a.memories })
	return out
}

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(string(m.draw()))
	v.AltScreen, v.WindowTitle = true, "memend"
	return v
}

const margin = 2

func (m *Model) draw() []byte {
	th := m.th
	var rows [][]byte
	put := func(s string, st theme.Style) {
		for _, line := range text.Rows(s, max(m.w-2*margin, 1), m.h) {
			r := draw.NewRow(nil, m.w)
			r.Space(margin)
			r.Put(line, st)
			rows = append(rows, r.End())
		}
	}
	gap := func() {
		if m.h > 14 {
			put("", th.Text)
		}
	}
	gap()
	switch {
	case !m.loaded:
		put("looking for memories of other tools…", th.Dim)
	case m.adding:
		put(fmt.Sprintf("making %s…", draw.Plural(m.Found(), "store", "stores")), th.Dim)
	default:
		put("memend has no store yet. Other tools keep memories on this machine:", th.Title)
		gap()
		foot := 3 // the note, which may take two rows, and the keys
		room := max(m.h-len(rows)-foot, 1)
		if m.h > 14 {
			room = max(room-2, 1)
		}
		shown := m.groups
		if len(shown) > room {
			shown = shown[:max(room-1, 0)]
		}
		for _, g := range shown {
			rows = append(rows, m.groupRow(g))
		}
		if rest := m.groups[len(shown):]; len(rest) > 0 {
			folders := 0
			for _, g := range rest {
				folders += g.folders
			}
			put(fmt.Sprintf("and %s of %s", draw.Plural(folders, "folder", "folders"), draw.Plural(len(rest), "other tool", "other tools")), th.Dim)
		}
		gap()
		put("A store of a folder changes nothing in it.", th.Dim)
		gap()
		rows = append(rows, m.keysRow())
	}
	var out []byte
	for y := range m.h {
		if y > 0 {
			out = append(out, '\n')
		}
		if y < len(rows) {
			out = append(out, rows[y]...)
		} else {
			r := draw.NewRow(nil, m.w)
			out = append(out, r.End()...)
		}
	}
	return out
}

func (m *Model) groupRow(g group) []byte {
	r := draw.NewRow(nil, m.w)
	r.Space(margin)
	memories := draw.Count(g.memories)
	if g.more {
		memories += "+"
	}
	counts := memories + " " + plural(g.memories, "memory", "memories")
	if m.w >= 60 {
		counts = fmt.Sprintf("%9s  %14s", draw.Plural(g.folders, "folder", "folders"), counts)
	}
	room := min(m.w-2*margin-text.Width(counts)-2, 44)
	r.Column(g.kind.String(), max(room, 1), m.th.Text)
	r.Space(2)
	r.Put(counts, m.th.Dim)
	return r.End()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (m *Model) keysRow() []byte {
	r := draw.NewRow(nil, m.w)
	r.Space(margin)
	for i, k := range []struct{ key, does string }{{"a", "add all " + strconv.Itoa(m.Found())}, {"c", "choose"}, {"q", "leave"}} {
		if i > 0 {
			r.Space(3)
		}
		r.Put(k.key, m.th.HintKey)
		r.Put(" "+k.does, m.th.Hint)
	}
	return r.End()
}
