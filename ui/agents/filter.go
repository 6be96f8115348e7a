package agents

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/filter"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/text"
)

// filterKeys work while the filter is typed; all other keys are text.
func filterKeys(own keys.Bindings) *keys.Map[*Pane] {
	return keys.New("activity-filter", own, []keys.Action[*Pane]{
		action("keep", "to the list", func(p *Pane) tea.Cmd { p.typing = false; return nil }, nil, "enter"),
		action("complete", "complete", (*Pane).complete, nil, "tab"),
		action("clear", "clear", (*Pane).clearFilter, nil, "esc"),
		action("down", "down", func(p *Pane) tea.Cmd { return p.moveBy(1) }, nil, "down"),
		action("up", "up", func(p *Pane) tea.Cmd { return p.moveBy(-1) }, nil, "up"),
	})
}

// typeFilter gives the keys to the filter.
func (p *Pane) typeFilter() tea.Cmd {
	p.shows, p.typing = false, true
	p.to(inStream)
	p.input = draw.NewInput(p.query.text)
	if p.query.text != "" {
		p.input = draw.NewInput(p.query.text + " ")
	}
	return nil
}

// clearFilter lets everything through again.
func (p *Pane) clearFilter() tea.Cmd {
	p.typing = false
	return p.setFilter("")
}

func (p *Pane) setFilter(s string) tea.Cmd {
	was := p.query
	p.query = parse(s, p.clock())
	if p.query.same(was) {
		return nil
	}
	return p.begin()
}

// typeKey takes a key or pasted text for the filter.
func (p *Pane) typeKey(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name := k.String()
		if name == "ctrl+c" {
			name = "esc"
		}
		if cmd, r := p.typed.Press(p, []string{name}, 0); r != keys.None {
			return cmd
		}
	}
	if p.input.Update(msg) {
		return p.setFilter(p.input.Value)
	}
	return nil
}

// complete ends the word that is being typed with the first that it may become.
func (p *Pane) complete() tea.Cmd {
	word := filter.LastWord(p.input.Value)
	for _, c := range p.candidates(word) {
		if c == word {
			continue
		}
		if !strings.HasSuffix(c, ":") {
			c += " "
		}
		p.input = draw.NewInput(strings.TrimSuffix(p.input.Value, word) + c)
		return p.setFilter(p.input.Value)
	}
	return nil
}

// candidates are what a word may become.
func (p *Pane) candidates(word string) []string {
	name, value, ok := strings.Cut(word, ":")
	if !ok {
		return filter.Starting(append(fields[:len(fields):len(fields)], onlyReads, onlyWrites), word)
	}
	var values []string
	switch name {
	case "by":
		for _, s := range p.sessions.list {
			values = append(values, strings.ReplaceAll(draw.Actor(s.Actor), " ", ""))
		}
	case "kind":
		for _, k := range kinds {
			values = append(values, string(k))
		}
	case "session":
		for _, s := range p.sessions.list {
			values = append(values, shortSession(s.ID))
		}
	case "in":
		for i := range min(p.stream.len(), pageSize) {
			if a, _ := p.stream.at(i); !a.Path.IsRoot() && !a.Path.Dir().IsRoot() {
				values = append(values, a.Path.Dir().String())
			}
		}
	case "since", "until":
		values = []string{"today", "yesterday", "1h", "2d", "1w"}
	}
	var out []string
	for _, v := range filter.Starting(values, value) {
		if w := name + ":" + v; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// appendFilter draws a row of the filter: what is typed, or what it may become.
func (p *Pane) appendFilter(l line, y int) line {
	if y == 0 {
		l.put("/ ", p.theme.HintKey)
		if n := l.W - l.Used; n > 0 {
			l.dst, _ = p.input.Append(l.dst, n, p.theme.Input)
			l.Used = l.W
		}
		return l
	}
	l.put("  ", p.theme.Dim)
	if p.query.wrong != "" {
		l.put(p.query.wrong, p.theme.Warn)
		return l
	}
	words := p.candidates(filter.LastWord(p.input.Value))
	if len(words) == 0 {
		l.put("letters of a path, an actor, a session or a tool call", p.theme.Dim)
	}
	for i, s := range words {
		if l.W-l.Used < text.Width(s)+2 && i > 0 {
			break
		}
		style := p.theme.Dim
		if i == 0 && filter.LastWord(p.input.Value) != "" {
			style = p.theme.HintKey // Tab takes it
		}
		l.put(s, style)
		l.put("  ", p.theme.Dim)
	}
	return l
}

// Cursor is in the filter while that is typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	f := p.arrange().filter
	if !p.typing || f.H == 0 || f.W < 3 {
		return 0, 0, false
	}
	_, x = p.input.Append(nil, f.W-2, p.theme.Input)
	return f.X + 2 + x, f.Y, true
}
