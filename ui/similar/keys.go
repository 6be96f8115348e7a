package similar

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/compare"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
)

func paneKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	// Actions that other screens have too are theirs: they are bound once.
	return keys.New("similar", bindings, append([]keys.Action[*Pane]{
		keys.Act("merge", "merge by hand", (*Pane).chooseKept, (*Pane).mergeDisabled, "m").As("merge").Writing().Of("plan"),
		keys.Act("compare", "compare two memories", (*Pane).beside, (*Pane).textsDisabled, "D").As("side by side").Of("tree"),
		keys.Act("open-first", "open the first", func(p *Pane) tea.Cmd { return p.open(p.pair().A) }, (*Pane).pairDisabled, "o").As("open first").Of("compare"),
		keys.Act("open-second", "open the second", func(p *Pane) tea.Cmd { return p.open(p.pair().B) }, (*Pane).pairDisabled, "O").As("open second").Of("compare"),
		keys.Act("elsewhere", "next scope", (*Pane).nextScope, (*Pane).scopeDisabled, "tab").As("scope").Of("search"),
		keys.Act("diff", "view diff", func(p *Pane) tea.Cmd { p.Focus(true); return nil }, (*Pane).pairDisabled, "enter", "l", "right").As("look").Of("change"),
		keys.Act("again", "look again", (*Pane).load, nil, "g r").As("again").Of("stores"),
		keys.Act("back", "leave it", (*Pane).leave, nil, "esc", "q").As("leave").Of("change"),
	}, list.Moves((*Pane).MoveBy, (*Pane).Page)...))
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return paneKeys(bindings).All() }

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return split.Press(p.Split, p, p.keys, seq, n)
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry {
	own := p.keys.Entries(p)
	if p.pair() == nil {
		return own
	}
	return p.Split.Entries(own)
}

func (p *Pane) scopeDisabled() string {
	switch {
	case p.cfg.Memory == "":
		return "no memory was open"
	case p.loading:
		return "it is comparing"
	}
	return ""
}

// nextScope lists all pairs, or those of the memory that was open.
func (p *Pane) nextScope() tea.Cmd {
	p.one, p.pairs, p.begun = !p.one, nil, false
	return p.load()
}

func (p *Pane) pairDisabled() string {
	if p.pair() == nil {
		return "nothing is listed"
	}
	return ""
}

func (p *Pane) textsDisabled() string {
	switch {
	case p.pair() == nil:
		return "nothing is listed"
	case p.detail.err != nil:
		return "one of them can't be read"
	case p.detail.doc == nil:
		return "they are being read"
	}
	return ""
}

func (p *Pane) mergeDisabled() string {
	if p.cfg.ReadOnly {
		return "read-only: nothing is written"
	}
	if why := p.textsDisabled(); why != "" {
		return why
	}
	pair := p.pair()
	for _, m := range []versions.SimilarMemory{pair.A, pair.B} {
		switch info := p.stores[m.Store]; {
		case !info.Archived.IsZero():
			return "store " + m.Name + " is archived"
		case info.Hosted() && pair.A.Store != pair.B.Store:
			return "store " + m.Name + " is hosted, so copy the memory to the other store and merge there"
		}
	}
	return ""
}

// leave leaves the difference, then the screen.
func (p *Pane) leave() tea.Cmd {
	if p.InDiff {
		p.Focus(false)
		return nil
	}
	return p.env.Ask(screen.Back{})
}

// open shows a memory in its store.
func (p *Pane) open(m versions.SimilarMemory) tea.Cmd {
	at := screen.Open{Path: m.Path}
	if m.Store != p.cfg.Here.ID {
		return p.env.Ask(request.OpenStore{ID: m.Store, Name: m.Name, At: at})
	}
	return p.env.Ask(at)
}

// beside shows the two side by side, on the whole screen.
func (p *Pane) beside() tea.Cmd {
	env, d := p.env, p.detail
	var texts [2]compare.Text
	for i, m := range []versions.SimilarMemory{d.of.A, d.of.B} {
		texts[i] = compare.Text{Path: m.Path, Content: slices.Clone(d.texts[i]), Store: m.Name, Open: func() tea.Cmd { return p.open(m) }}
	}
	return func() tea.Msg { return screen.Show{Pane: compare.New(env, texts[0], texts[1])} }
}
