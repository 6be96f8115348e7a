package ui

import (
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions/drafts"
)

// later presses keys and holds back what the last one begins.
func (s *sim) later(names, last string) tea.Cmd {
	s.keys(names)
	return s.app.performRequests(s.update(screentest.Key(last)))
}

// An answer that arrives after the person went on opens and closes nothing.
func TestLateAnswers_DoNotMoveTheScreen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, begin, key, then string }{
		{"the text of a held change, once the queue is left", "!", "e", "q"},
		{"the text of a held change, behind another screen", "!", "e", "t"},
		{"the merge of a hunk to restore, behind another screen", "H j enter", "R", "t"},
		{"the applied merge of a hunk, once it is left", "H j enter R B", "a", "esc d t"},
		{"an applied plan, once it is left", "H j u b", "a", "esc t"},
	} {
		q := newQueue(t, 120, 36)
		q.writes(reviewer, "a.md", "one\n")
		q.writes(reviewer, "a.md", "two\n")
		q.writes(reviewer, "a.md", "three\n")
		q.held(robot, "safe.md", "held\n")
		q.send(screen.Open{Path: at("a.md")})
		late := q.later(c.begin, c.key)
		q.keys(c.then)
		front, focus := q.app.front(), q.app.frame.Focus()
		q.run(late)
		if q.app.front() != front || q.app.frame.Focus() != focus {
			t.Errorf("%s moves the screen:\n%s", c.of, q.screen())
		}
	}
}

func TestEdit_TheLastRequestWins(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	first := s.app.performRequests(s.update(screen.Edit{Path: at("people/lee.md"), Line: 1}))
	s.send(screen.Edit{Path: at("people/dana.md"), Line: 1})
	s.run(first)
	if got := s.app.editing.Path(); got != at("people/dana.md") {
		t.Errorf("%s is edited", got)
	}
	first = s.app.performRequests(s.update(screen.Edit{Path: at("people/lee.md"), Line: 1}))
	s.send(screen.Open{Path: at("people/dana.md")})
	s.run(first)
	if got := s.app.editing.Path(); !got.IsRoot() || s.app.memory.Path() != at("people/dana.md") {
		t.Errorf("after a memory was opened %s is edited", got)
	}
}

// copies counts the copies for external editors.
type copies struct {
	Store
	files []string
}

func (c *copies) NewEditCopy(name string, text []byte) (*drafts.EditCopy, []string, error) {
	e, left, err := c.Store.NewEditCopy(name, text)
	if err == nil {
		c.files = append(c.files, e.File())
	}
	return e, left, err
}

func TestExternal_TheLastRequestWins(t *testing.T) {
	t.Setenv("VISUAL", "ed")
	var store *copies
	s := newSim(t, sample(), 120, 36, func(c *Config) { store = &copies{Store: c.Store}; c.Store = store })
	runs := 0
	s.program = func([]string) error { runs++; return nil }
	ask := func(r screen.Request) tea.Cmd { return s.app.performRequests(s.update(r)) }
	run := func(cmds ...tea.Cmd) {
		for _, c := range cmds {
			s.run(c)
		}
		for _, f := range store.files {
			if _, err := os.Stat(filepath.Dir(f)); err == nil {
				t.Errorf("%s is left", f)
			}
		}
	}
	edit, outside := screen.Edit{Path: at("people/lee.md"), Line: 1}, screen.External{Path: at("people/dana.md"), Line: 2}
	first, second := ask(outside), ask(outside)
	if run(second, first); runs != 1 {
		t.Errorf("two requests run it %d times", runs)
	}
	first, second = ask(edit), ask(outside)
	if run(second, first); runs != 2 || !s.app.editing.Path().IsRoot() {
		t.Errorf("it ran %d times, and %s is edited", runs, s.app.editing.Path())
	}
	first, second = ask(outside), ask(edit)
	if run(second, first); runs != 2 || s.app.editing.Path() != edit.Path {
		t.Errorf("it ran %d times, and %s is edited", runs, s.app.editing.Path())
	}
}
