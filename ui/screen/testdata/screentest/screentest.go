// Package screentest tests panes and screens without the root.
package screentest

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// Sim runs a pane without a terminal: it runs each command synchronously and sends its message
// to the pane, until there is nothing left to do.
type Sim[P screen.Pane] struct {
	T    testing.TB
	Pane P
	Sent []tea.Msg // requests to the root
	Left bool      // the pane asked to be closed

	// Root handles a request if the test needs that. It may be nil.
	Root func(tea.Msg) tea.Cmd

	env   screen.Env
	seq   []string // incomplete sequence of keys
	turns int      // calls of FitsEverySize
}

// Env returns the environment of panes in tests: dark, with many colours and the default keys.
// Delayed messages are never sent.
func Env(ctx context.Context) screen.Env {
	return screen.Env{Ctx: ctx, Theme: theme.New(true, theme.Many), Out: &screen.Out{}, Later: func(time.Duration, tea.Msg) tea.Cmd { return nil }}
}

// Requests removes and returns the requests to the root, oldest first.
func Requests(env screen.Env) (out []tea.Msg) {
	for request, ok := env.Out.Next(); ok; request, ok = env.Out.Next() {
		out = append(out, request)
	}
	return out
}

// New returns a Sim of a pane created with env, and sets the pane's size. It does not start
// the pane.
func New[P screen.Pane](t testing.TB, env screen.Env, pane P, w, h int) *Sim[P] {
	pane.SetSize(w, h)
	return &Sim[P]{T: t, Pane: pane, env: env}
}

// Run runs a command and everything that follows from it and from the pane's requests.
func (s *Sim[P]) Run(cmd tea.Cmd) {
	s.T.Helper()
	for queue := []tea.Cmd{cmd}; ; {
		var first []tea.Cmd
		for _, request := range Requests(s.env) {
			first = append(first, s.take(request))
		}
		if queue = slices.Concat(first, queue); len(queue) == 0 {
			return
		}
		cmd, queue = queue[0], queue[1:]
		if cmd == nil {
			continue
		}
		msg := Call(s.T, cmd)
		if several := Several(msg); several != nil {
			queue = slices.Concat(several, queue)
			continue
		}
		queue = slices.Insert(queue, 0, s.take(msg))
	}
}

// take handles a message as the root does.
func (s *Sim[P]) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case nil:
		return nil
	case screen.Work:
		return func() tea.Msg { did, _ := msg.Do(s.T.Context()); return did }
	case screen.Reply:
		return msg.Take()
	case screen.Back:
		s.Left = true
	case screen.Drop:
		s.Left = s.Left || msg.Pane == screen.Pane(s.Pane)
	}
	s.Sent = append(s.Sent, msg)
	if s.Root == nil {
		return nil
	}
	return s.Root(msg)
}

// sequence is the type of tea.Sequence's messages, which is not exported.
var sequence = reflect.TypeOf(tea.Sequence(func() tea.Msg { return nil }, func() tea.Msg { return nil })())

// Several returns the commands of a batch or a sequence, and nil for any other message.
func Several(msg tea.Msg) []tea.Cmd {
	if batch, ok := msg.(tea.BatchMsg); ok {
		return batch
	}
	v := reflect.ValueOf(msg)
	if msg == nil || v.Type() != sequence {
		return nil
	}
	out := make([]tea.Cmd, v.Len())
	for i := range out {
		out[i] = v.Index(i).Interface().(tea.Cmd)
	}
	return out
}

// Keys presses keys, named as in bindings and separated by blanks. While the pane takes text
// they are typed.
func (s *Sim[P]) Keys(names string) {
	s.T.Helper()
	for _, k := range strings.Fields(names) {
		if s.Pane.TakesText() {
			s.Run(s.Pane.Update(Key(k)))
			continue
		}
		s.seq = append(s.seq, k)
		cmd, r := s.Pane.Press(s.seq, 0)
		if r == keys.Partial {
			continue
		}
		if r == keys.None {
			s.T.Fatalf("nothing obeys %q", s.seq)
		}
		s.seq = nil
		s.Run(cmd)
	}
}

// Typed types a text.
func (s *Sim[P]) Typed(text string) {
	for _, r := range text {
		s.Run(s.Pane.Update(tea.KeyPressMsg{Code: r, Text: string(r)}))
	}
}

// Last returns the last request of the pane, or nil.
func (s *Sim[P]) Last() tea.Msg {
	if len(s.Sent) == 0 {
		return nil
	}
	return s.Sent[len(s.Sent)-1]
}

// Refuses checks that keys are refused for a reason.
func (s *Sim[P]) Refuses(pressed, why string) {
	s.T.Helper()
	s.Keys(pressed)
	if r, ok := s.Last().(keys.Refused); !ok || !strings.Contains(r.Why, why) {
		s.T.Errorf("%s: %+v, not refused for %q", pressed, s.Last(), why)
	}
}

// Answer types into the last prompt.
func (s *Sim[P]) Answer(text string) {
	s.T.Helper()
	p, ok := s.Last().(screen.Prompt)
	if !ok {
		s.T.Fatalf("no prompt was asked for, but %+v", s.Last())
	}
	s.Run(p.Then(text))
}

// Screen returns the title and the frame without their styles.
func (s *Sim[P]) Screen() string {
	name, info := s.Pane.Title()
	return name + " " + info + "\n" + ansi.Strip(s.Pane.View())
}

// Shows checks that texts are visible.
func (s *Sim[P]) Shows(want ...string) {
	s.T.Helper()
	Shows(s.T, s.Screen, want...)
}

// Hides checks that texts are not visible.
func (s *Sim[P]) Hides(unwanted ...string) {
	s.T.Helper()
	Hides(s.T, s.Screen, unwanted...)
}

// FitsEverySize checks that the view has exactly h rows of w columns at every size that [drawtest.Tries], with the
// cursor inside.
func (s *Sim[P]) FitsEverySize() {
	s.T.Helper()
	s.turns++
	for w := 0; w < 140; w += 1 + min(w/4, 2) {
		for h := 0; h < 40; h += 1 + min(h/4, 1) {
			if !drawtest.Tries(s.turns, w, h) {
				continue
			}
			s.Pane.SetSize(w, h)
			if wrong := drawtest.Problem(s.Pane.View(), w, h); wrong != "" {
				s.T.Fatalf("%dx%d: %s", w, h, wrong)
			}
			if x, y, ok := s.Pane.Cursor(); ok && (x < 0 || y < 0 || x >= w || y >= h) {
				s.T.Fatalf("%dx%d: the cursor is at %d,%d", w, h, x, y)
			}
		}
	}
}

// Call runs one command, which must return.
func Call(t testing.TB, cmd tea.Cmd) tea.Msg {
	t.Helper()
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		return msg
	case <-time.After(20 * time.Second):
		t.Fatal("a command does not end")
		return nil
	}
}

// Shows checks that texts are visible on a screen.
func Shows(t testing.TB, screen func() string, want ...string) {
	t.Helper()
	for _, w := range want {
		if shown := screen(); !strings.Contains(shown, w) {
			t.Fatalf("the screen does not show %q:\n%s", w, shown)
		}
	}
}

// Hides checks that texts are not visible on a screen.
func Hides(t testing.TB, screen func() string, unwanted ...string) {
	t.Helper()
	for _, w := range unwanted {
		if shown := screen(); strings.Contains(shown, w) {
			t.Fatalf("the screen shows %q:\n%s", w, shown)
		}
	}
}

// Path parses a path.
func Path(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}
