// Package keys maps keys to actions. It is the only registry for dispatching keys, drawing
// hints and help, filling the palette and checking the configuration.
//
// A Map holds the actions of one context (a pane, a screen). Its owner passes pressed keys
// to it; others get its actions as Entries, which don't depend on the owner's type.
//
// A sequence is one or more keys, written as in key messages and separated by blanks:
// "enter", "ctrl+r", "g g". A count typed before an action ("12j") is passed to it as a
// number.
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
	ID    string   // within its context, as in the configuration: "open"; of a verb with its group: "change.open"
	Name  string   // in help and the palette; that of the verb if empty
	Short string   // for the line of hints; Name if empty
	Keys  []string // sequences, after those of the verb if it is one; the first is shown in hints
	Do    func(p P, n int) tea.Cmd
	Why   func(p P) string // why it is disabled; nil or "" if it is enabled
	Hide  bool             // omit it from hints and the palette: moves of the cursor

	// Writes marks an action that changes memories or stores, at once or after a prompt: it
	// is refused in read-only mode.
	Writes bool

	now func(p P) string // the name in hints, depending on the state; "" for Short
}

// Bindings are configured keys: the sequences of "tree.move". An action with an empty list
// has no key.
type Bindings map[string][]string

// Map holds the actions of a context and their keys, including those that it shares with
// other maps. It is immutable.
type Map[P any] struct {
	context string
	actions []Action[P]
	seqs    [][][]string // of each action
}

// New returns the map of a context. The bindings in own replace the default keys.
func New[P any](context string, own Bindings, actions []Action[P]) *Map[P] {
	m := &Map[P]{context: context, actions: slices.Clone(actions)}
	for i := range m.actions {
		a := &m.actions[i]
		if v, ok := verbs[m.id(a)]; ok {
			a.Name, a.Keys = cmp.Or(a.Name, v.name), slices.Concat(v.keys, a.Keys)
		}
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

// id returns the action's id with its context.
func (m *Map[P]) id(a *Action[P]) string {
	if strings.Contains(a.ID, ".") {
		return a.ID
	}
	return m.context + "." + a.ID
}

// Result is the result of a sequence.
type Result int

const (
	None    Result = iota // not bound
	Partial               // the beginning of a bound sequence
	Done                  // its action was run, or refused
)

// Refused reports why an action was not run. It is sent as a message.
type Refused struct{ Name, Why string }

// Press runs the action that a sequence of keys is bound to, with the count n.
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

// Entry describes an action without the owner's type.
type Entry struct {
	ID    string // with its context: "tree.move"
	Map   string // the context of its map
	Name  string
	Short string // for the line of hints
	Keys  []string
	Why   string // why it is disabled
	Hide  bool
	Do    func(n int) tea.Cmd

	Writes bool // as in Action
}

// Entries returns the actions for p, the most important first.
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

// All lists the actions of the context as bound, without a pane: they can't be run. Verbs have
// the name that says what they do everywhere.
func (m *Map[P]) All() []Entry {
	out := make([]Entry, len(m.actions))
	for i := range m.actions {
		out[i] = m.entry(&m.actions[i])
		if v, ok := verbs[out[i].ID]; ok {
			out[i].Name = v.name
		}
	}
	return out
}

// Hint returns the key that messages name for an action of the map, or its name if it has no key.
func (m *Map[P]) Hint(id string) string {
	for i := range m.actions {
		if a := &m.actions[i]; a.ID == id {
			return m.entry(a).Named()
		}
	}
	return "“" + id + "”"
}

// Key returns the key shown for an action of the map, or "".
func (m *Map[P]) Key(id string) string {
	for i := range m.actions {
		if a := &m.actions[i]; a.ID == id {
			return m.entry(a).Hint()
		}
	}
	return ""
}

// entry returns the entry of an action without state.
func (m *Map[P]) entry(a *Action[P]) Entry {
	return Entry{ID: m.id(a), Map: m.context, Name: a.Name, Short: a.short(), Keys: a.Keys, Hide: a.Hide, Writes: a.Writes}
}

// Act returns an action that does the same for every count.
func Act[P any](id, name string, do func(P) tea.Cmd, why func(P) string, seqs ...string) Action[P] {
	return Action[P]{ID: id, Name: name, Keys: seqs, Why: why, Do: func(p P, _ int) tea.Cmd { return do(p) }}
}

// As returns the action with a shorter name for the line of hints.
func (a Action[P]) As(short string) Action[P] {
	a.Short = short
	return a
}

// Writing returns the action marked as one that writes.
func (a Action[P]) Writing() Action[P] {
	a.Writes = true
	return a
}

// Called returns the action with a name in hints that depends on the state; "" stands for the short name.
func (a Action[P]) Called(name func(P) string) Action[P] {
	a.now = name
	return a
}

// While returns the action with another name in hints while something is on: what the key
// does then, which is to turn it off.
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

// Label formats all keys of an entry: "Enter l →".
func (e Entry) Label() string {
	names := make([]string, len(e.Keys))
	for i, k := range e.Keys {
		names[i] = Label(k)
	}
	return strings.Join(names, " ")
}

// Hint returns the key shown in hints, or "".
func (e Entry) Hint() string {
	if len(e.Keys) == 0 {
		return ""
	}
	return Label(e.Keys[0])
}

// Named returns the key that messages name, or the name of the action if it has no key.
func (e Entry) Named() string { return cmp.Or(e.Hint(), "“"+e.Name+"”") }

// Types reports whether a sequence types text in an input field. A sequence of several keys
// can't be pressed there either.
func Types(seq string) bool {
	return utf8.RuneCountInString(seq) == 1 || seq == "space" || strings.Contains(seq, " ")
}

// Names returns the names under which a key press is looked up: its own, and with another
// keyboard layout that of the same key in the basic layout.
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
