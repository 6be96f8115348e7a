package terminal

import (
	"reflect"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// sequence is the type of tea.Sequence's message, which is not exported.
var sequence = reflect.TypeOf(tea.Sequence(tea.Quit, tea.Quit)())

// commands returns the commands of a message that consists only of commands, and again,
// which makes such a message. again is nil for other messages.
func commands(msg tea.Msg) (cmds []tea.Cmd, again func(...tea.Cmd) tea.Cmd) {
	if b, ok := msg.(tea.BatchMsg); ok {
		return slices.Clone(b), tea.Batch
	}
	if v := reflect.ValueOf(msg); v.IsValid() && v.Type() == sequence && v.CanConvert(reflect.TypeOf(cmds)) {
		return slices.Clone(v.Convert(reflect.TypeOf(cmds)).Interface().([]tea.Cmd)), tea.Sequence
	}
	return nil, nil
}

// Map passes every message of a command through f, including those of nested commands.
func Map(cmd tea.Cmd, f func(tea.Msg) tea.Msg) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		msg := cmd()
		cmds, again := commands(msg)
		if again == nil {
			return f(msg)
		}
		for i := range cmds {
			cmds[i] = Map(cmds[i], f)
		}
		return again(cmds...)()
	}
}
