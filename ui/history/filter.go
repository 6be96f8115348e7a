package history

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
	do := func(id, name string, f func(*Pane) tea.Cmd, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: seqs, Do: func(p *Pane, _ int) tea.Cmd { return f(p) }}
	}
	return keys.New("history-filter", own, []keys.Action[*Pane]{
		do("keep", "to the list", func(p *Pane) tea.Cmd { p.typing = false; p.resize(); return nil }, "enter"),
		do("complete", "complete", (*Pane).complete, "tab"),
		do("clear", "clear", (*Pane).clearFilter, "esc"),
		{ID: "down", Name: "down", Keys: []string{"down"}, Hide: true, Do: func(p *Pane, _ int) tea.Cmd { return p.moveBy(1) }},
		{ID: "up", Name: "up", Keys: []string{"up"}, Hide: true, Do: func(p *Pane, _ int) tea.Cmd { return p.moveBy(-1) }},
	})
}

// typeFilter gives the keys to the filter.
func (p *Pane) typeFilter() tea.Cmd {
	p.leaveDiff()
	p.typing = true
	p.input = draw.NewInput(p.query.text)
	if p.query.text != "" {
		p.input = draw.NewInput(p.query.text + " ")
	}
	p.resize()
	return nil
}

// clearFilter lets everything through again.
func (p *Pane) clearFilter() tea.Cmd {
	p.typing = false
	p.resize()
	return p.setFilter("")
}

// setFilter filters both lists; each is read anew when it is shown next.
func (p *Pane) setFilter(s string) tea.Cmd {
	p.query = parse(s, p.now)
	return p.refilter()
}

// refilter reads the list that is shown anew if it is not filtered as it should be.
func (p *Pane) refilter() tea.Cmd {
	l := p.list()
	if l.query.same(p.query) {
		return nil
	}
	l.begin(p.query, true)
	return tea.Batch(p.more(l), p.compare())
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
		return filter.Starting(fields, word)
	}
	var values []string
	switch name {
	case "by":
		for _, a := range p.actors {
			values = append(values, strings.ReplaceAll(draw.Actor(a), " ", ""))
		}
		for _, k := range actorKinds {
			values = append(values, string(k))
		}
	case "session":
		for _, s := range p.sessions {
			values = append(values, shortSession(s))
		}
	case "op":
		values = p.operations()
	case "since":
		values = []string{"today", "yesterday", "1h", "2d", "1w", p.now.Format("2006-01-02")}
	case "until":
		values = []string{"yesterday", "1h", "2d", "1w", p.now.Format("2006-01-02")}
	}
	var out []string
	for _, v := range filter.Starting(values, value) {
		if w := name + ":" + v; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// operations are the words for what was done.
func (p *Pane) operations() []string {
	if !p.everyone {
		return []string{"created", "edited", "renamed", "deleted", "redacted"}
	}
	var out []string
	for _, k := range changeKinds {
		out = append(out, string(k))
	}
	return append(out, undone)
}

// appendFilter draws a row of the filter: what is typed, or what it may become.
func (p *Pane) appendFilter(dst []byte, y, w int) []byte {
	c := cells{dst: dst, left: w}
	if y == 0 {
		c.put("/ ", p.theme.HintKey)
		if c.left > 0 {
			c.dst, _ = p.input.Append(c.dst, c.left, p.theme.Input)
			c.left = 0
		}
		return c.dst
	}
	c.put("  ", p.theme.Dim)
	if p.query.wrong != "" {
		c.put(p.query.wrong, p.theme.Warn)
		c.fill()
		return c.dst
	}
	words := p.candidates(filter.LastWord(p.input.Value))
	if len(words) == 0 {
		c.put("letters of a path, an actor or a session", p.theme.Dim)
	}
	for i, s := range words {
		if c.left < text.Width(s)+2 && i > 0 {
			break
		}
		style := p.theme.Dim
		if i == 0 && filter.LastWord(p.input.Value) != "" {
			style = p.theme.HintKey // Tab takes it
		}
		c.put(s, style)
		c.put("  ", p.theme.Dim)
	}
	c.fill()
	return c.dst
}
