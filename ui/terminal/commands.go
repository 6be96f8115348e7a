package terminal

import (
	"reflect"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// sequence is the type of the message that tea.Sequence brings, which has no
// public name.
var sequence = reflect.TypeOf(tea.Sequence(tea.Quit, tea.Quit)())

// commands takes apart a message that is nothing but commands; again puts them
// together. again is nil for other messages.
func commands(msg tea.Msg) (cmds []tea.Cmd, again func(...tea.Cmd) tea.Cmd) {
	if b, ok := msg.(tea.BatchMsg); ok {
		return slices.Clone(b), tea.Batch
	}
	if v := reflect.ValueOf(msg); v.IsValid() && v.Type() == sequence && v.CanConvert(reflect.TypeOf(cmds)) {
		return slices.Clone(v.Convert(reflect.TypeOf(cmds)).Interface().([]tea.Cmd)), tea.Sequence
	}
	return nil, nil
}
