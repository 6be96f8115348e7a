// Package keys maps keys to actions: the one registry from which keys are obeyed,
// hints and help are drawn, the palette is filled and the configuration is checked.
//
// A Map holds the actions of one context (a pane, a screen). Its owner hands it
// what was pressed; what others need to know of it they get as Entries, which
// carry no type of the owner's.
//
// A sequence is one key or several, written as key messages name them and
// separated by blanks: "enter", "ctrl+r", "g g". A count typed before an action
// ("12j") reaches it as a number.
package keys

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Action is something a person can do in a context.
type Action[P any] struct {
	ID    string   // within its context, as the configuration names it: "open"
	In    string   // the context, where several maps have the action; that of the map when empty
	Name  string   // as help and the palette call it
	Short string   // a word or two for the line of hints; Name when empty
	Keys  []string // sequences; the first is the one that hints name
	Do    func(p P, n int) tea.Cmd
	Why   func(p P) string // why it can't be done now; nil for always, "" for now
	Hide  bool             // left out of hints and the palette: moves of the cursor

	// Writes says that it changes memories or stores, now or when what it asks for is
	// answered: where nothing is to be written it is refused.
	Writes bool

	now func(p P) string // what hints call it now; "" for Short
}

// Bindings are the keys that a configuration gives to actions: the sequences of
// "tree.open". An action with an empty list has no key.
type Bindings map[string][]string

// Map is the actions of a context and their keys, with those that it shares with other
// maps. It does not change.
type Map[P any] struct {
	context string
	actions []Action[P]
	seqs    [][][]string // of each action
}

// New makes the map of a context. What own says of its actions replaces their keys.
func New[P any](context string, own Bindings, actions []Action[P]) *Map[P] {
	m := &Map[P]{context: context, actions: slices.Clone(actions)}
	for i := range m.actions {
		a := &m.actions[i]
		if keys, ok := own[m.id(a)]; ok {
			a.Keys = keys
		}
		var seqs [][]string
		for _, k := range a.Keys {
			seqs = append(seqs, strings.Fields(k))
		}
		m.seqs = append(m.seqs, seqs)
	}
	return m
}

// id is the action's with its context.
func (m *Map[P]) id(a *Action[P]) string { return cmp.Or(a.In, m.context) + "." + a.ID }

// Result is what became of a sequence.
type Result int

const (
	None    Result = iota // no action has it
	Partial               // one has it and more
	Done                  // its action was run, or told why not
)

// Refused says why an action was not run. It arrives as a message.
type Refused struct{ Name, Why string }

// Press runs the action that a sequence of keys is bound to, n times where that
// makes sense.
func (m *Map[P]) Press(p P, seq []string, n int) (tea.Cmd, Result) {
	r := None
	for i := range m.actions {
		for _, s := range m.seqs[i] {
			if len(s) < len(seq) || !slices.Equal(s[:len(seq)], seq) {
				continue
			}
			if len(s) > len(seq) {
				r = Partial
				continue
			}
			return m.run(p, i, n), Done
		}
	}
	return nil, r
}

func (m *Map[P]) run(p P, i, n int) tea.Cmd {
	a := &m.actions[i]
	if a.Why != nil {
		if why := a.Why(p); why != "" {
			return func() tea.Msg { return Refused{a.Name, why} }
		}
	}
	return a.Do(p, n)
}

// Entry is an action as others see it.
type Entry struct {
	ID    string // with its context: "tree.open"
	Map   string // the context of the map that has it
	Name  string
	Short string // for the line of hints
	Keys  []string
	Why   string // why it can't be done now
	Hide  bool
	Do    func(n int) tea.Cmd

	Writes bool // as of an Action
}

// Entries are the actions of p, in the order in which they matter.
func (m *Map[P]) Entries(p P) []Entry {
	out := make([]Entry, len(m.actions))
	for i := range m.actions {
		a := &m.actions[i]
		out[i] = m.entry(a)
		out[i].Do = func(n int) tea.Cmd { return m.run(p, i, n) }
		if a.now != nil {
			out[i].Short = cmp.Or(a.now(p), out[i].Short)
		}
		if a.Why != nil {
			out[i].Why = a.Why(p)
		}
	}
	return out
}

// All lists the actions of the context as bound, for who has no pane: they can't
// be run.
func (m *Map[P]) All() []Entry {
	out := make([]Entry, len(m.actions))
	for i := range m.actions {
		out[i] = m.entry(&m.actions[i])
	}
	return out
}

// entry is an action as it is whoever asks.
func (m *Map[P]) entry(a *Action[P]) Entry {
	return Entry{ID: m.id(a), Map: m.context, Name: a.Name, Short: a.short(), Keys: a.Keys, Hide: a.Hide, Writes: a.Writes}
}

// As is the action with a shorter name for the line of hints.
func (a Action[P]) As(short string) Action[P] {
	a.Short = short
	return a
}

// Of is the action as one of a context that other maps have too: it is bound once.
func (a Action[P]) Of(context string) Action[P] {
	a.In = context
	return a
}

// Writing is the action marked as one that writes.
func (a Action[P]) Writing() Action[P] {
	a.Writes = true
	return a
}

// While is the action with another name for the line of hints while something is on:
// that of what a press does then, which is to turn it off.
func (a Action[P]) While(on func(P) bool, short string) Action[P] {
	a.now = func(p P) string {
		if on(p) {
			return short
		}
		return ""
	}
	return a
}

func (a *Action[P]) short() string {
	if a.Short != "" {
		return a.Short
	}
	return a.Name
}

// Label writes all keys of an entry: "Enter l →".
func (e Entry) Label() string {
	names := make([]string, len(e.Keys))
	for i, k := range e.Keys {
		names[i] = Label(k)
	}
	return strings.Join(names, " ")
}

// Hint is the key that hints name; empty when there is none.
func (e Entry) Hint() string {
	if len(e.Keys) == 0 {
		return ""
	}
	return Label(e.Keys[0])
}

// Types reports whether a sequence types something where keys are text. A sequence of
// several keys can't be pressed there either.
func Types(seq string) bool {
	return utf8.RuneCountInString(seq) == 1 || seq == "space" || strings.Contains(seq, " ")
}

// Names are the names under which a key press is looked up: its own, and where
// the keyboard has another layout, that of the same key in the basic one.
func Names(msg tea.KeyPressMsg) []string {
	own := msg.String()
	if msg.BaseCode == 0 || msg.BaseCode == msg.Code {
		return []string{own}
	}
	k := tea.Key{Code: msg.BaseCode, Mod: msg.Mod}
	if msg.Mod&^tea.ModShift == 0 {
		k.Text = string(msg.BaseCode)
		if msg.Mod&tea.ModShift != 0 {
			k.Text = strings.ToUpper(k.Text)
		}
	}
	return []string{own, k.String()}
}
