package redact

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func redactKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	heads := func(p *Pane) string {
		if p.step != deciding || len(p.plan.Current()) == 0 {
			return "no current memory contains it"
		}
		return ""
	}
	match := func(p *Pane) string {
		if why := heads(p); why != "" {
			return why
		}
		if p.target.Match == nil {
			return "only a text can be masked"
		}
		return ""
	}
	past := func(p *Pane) string {
		if why := heads(p); why != "" {
			return why
		}
		if p.target.Memory == "" {
			return "only of a whole memory"
		}
		return ""
	}
	text := func(heads versions.HeadChoice, label, value string) func(*Pane, int) tea.Cmd {
		return func(p *Pane, _ int) tea.Cmd {
			return p.env.Do(screen.Prompt{Label: label, Value: value, Then: func(s string) tea.Cmd {
				if heads == versions.HeadReplace && s != "" && !strings.HasSuffix(s, "\n") {
					s += "\n" // a whole text, so its last line ends
				}
				p.heads, p.text, p.decided = heads, s, true
				p.layOut()
				return nil
			}})
		}
	}
	choose := func(heads versions.HeadChoice) func(*Pane, int) tea.Cmd {
		return func(p *Pane, _ int) tea.Cmd { p.heads, p.decided = heads, true; p.layOut(); return nil }
	}
	return keys.New("redact", bindings, append([]keys.Action[*Pane]{
		{ID: "change.redact", Writes: true, Name: "erase", Do: (*Pane).ask, Why: (*Pane).disabled},
		keys.Action[*Pane]{ID: "screen.back", Name: "leave", Do: (*Pane).leave, Why: (*Pane).stays}.While((*Pane).searching, "stop searching"),
		keys.Action[*Pane]{ID: "delete", Name: "delete the current memory", Short: "delete it", Keys: []string{"d"}, Do: choose(versions.HeadDelete), Why: heads}.While((*Pane).several, "delete them"),
		keys.Action[*Pane]{ID: "replace", Name: "replace the current memory", Short: "replace it", Keys: []string{"e"}, Do: text(versions.HeadReplace, "text instead", "[redacted]"), Why: heads}.While((*Pane).several, "replace them"),
		{ID: "mask", Name: "mask current memories", Short: "mask it", Keys: []string{"m"}, Do: text(versions.HeadMask, "in its place", "[redacted]"), Why: match},
		keys.Action[*Pane]{ID: "all-stores", Name: "all stores of this home", Short: "all stores", Keys: []string{"a"}, Do: (*Pane).toggleStores, Why: (*Pane).storesDisabled}.While(func(p *Pane) bool { return p.target.AllStores }, "this store only"),
		{ID: "past", Name: "only the past", Keys: []string{"p"}, Do: choose(versions.HeadRefuse), Why: past},
	}, list.Moves(func(p *Pane, by int) tea.Cmd { p.scroll(by); return nil }, func(p *Pane) int { return p.win.H }, "space")...))
}

// askingKeys returns the keys that work while the text is typed.
func askingKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("redact-text", bindings, []keys.Action[*Pane]{
		{ID: "field.accept", Name: "list what contains it", Short: "look up", Do: (*Pane).lookUp, Why: func(p *Pane) string {
			if p.input.Value == "" {
				return "type a text first"
			}
			return ""
		}},
		{ID: "field.leave", Do: func(p *Pane, _ int) tea.Cmd { return p.env.Do(screen.Back{}) }},
	})
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(redactKeys(bindings).All(), askingKeys(bindings).All()...)
}

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) { return p.keys.Press(p, seq, n) }

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry {
	if p.step == asking {
		return p.typing.Entries(p)
	}
	return p.keys.Entries(p)
}

// lookUp searches for the text that was typed.
func (p *Pane) lookUp(int) tea.Cmd {
	p.target.Match, p.step = []byte(p.input.Value), planning
	return p.Start()
}

// disabled returns why nothing can be redacted now.
func (p *Pane) disabled() string {
	switch {
	case p.step == erasing:
		return "it is being erased"
	case p.step == finished:
		return "it is done"
	case p.step != deciding:
		return "what contains it is being searched"
	case p.err != nil:
		return "there is no plan"
	case p.plan.Empty():
		return "there is nothing to erase"
	case !p.decided:
		return "choose first what to do with the current memory: " + p.keys.Hint("delete") + " deletes, " + p.keys.Hint("replace") + " replaces"
	}
	return ""
}

// storesDisabled returns why what other stores hold can't be included, or left out again.
func (p *Pane) storesDisabled() string {
	switch {
	case p.target.Match == nil:
		return "only a text is searched for in other stores"
	case p.step != deciding && p.step != finished:
		return "what contains it is being searched"
	case p.step == finished && p.target.AllStores:
		return "it is done"
	case len(p.plan.Kept) == 0 && !p.target.AllStores:
		return "no version of another store contains it"
	}
	return ""
}

// toggleStores plans again, with what the other stores of the home hold or without it.
func (p *Pane) toggleStores(int) tea.Cmd {
	p.target.AllStores = !p.target.AllStores
	p.step = planning
	p.layOut()
	return p.Start()
}

// several reports whether the current text of more than one memory contains it.
func (p *Pane) several() bool { return len(p.plan.Current()) > 1 }

// leave cancels planning and leaves the screen. A search for remaining copies is stopped
// first, because its receipt is worth reading.
func (p *Pane) leave(int) tea.Cmd {
	if p.searching() {
		p.stop()
		p.stopped = true
		p.layOut()
		return nil
	}
	if p.step == planning {
		return tea.Batch(p.env.Do(screen.Back{}), p.env.Do(screen.Notice{Text: "cancelled: redact " + p.name + " · nothing was changed"}))
	}
	return p.env.Do(screen.Back{})
}

// stays returns why the screen can't be left.
func (p *Pane) stays() string {
	switch {
	case p.stopped && p.step == erasing:
		return "the search is being stopped"
	case p.step == erasing && !p.searching():
		return "it has begun and can't be cancelled: wait until it is erased"
	}
	return ""
}

// ask asks for a final confirmation, because a redaction can't be undone.
func (p *Pane) ask(int) tea.Cmd {
	n := len(p.plan.Erase)
	if p.heads == versions.HeadRefuse {
		n -= len(p.plan.Current())
	}
	text := "Erase " + draw.Plural(n, "version", "versions") + "? This can't be undone. Author and time stay."
	if n == 0 {
		text = "Erase the text where it is listed? This can't be undone."
	}
	return p.env.Do(screen.Choose{
		Title: "erase for good",
		Text:  text,
		Options: []screen.Option{
			{Key: "y", Label: "erase", Then: p.erase},
			{Key: "n", Label: "keep"},
		},
	})
}
