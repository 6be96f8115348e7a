package ui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func TestReadOnly_DisablesActionsThatWrite(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 160, 30, func(c *Config) { c.ReadOnly = true })
	s.on("people/dana.md")
	hints := func() string { return strings.Split(s.screen(), "\n")[29] }
	if h := hints(); strings.Contains(h, "delete") || strings.Contains(h, "undo") || !strings.Contains(h, "history") {
		t.Errorf("hinted at is %q", h)
	}
	s.keys("d")
	s.shows("read-only: nothing is written")
	s.keys("enter enter")
	if h := hints(); strings.Contains(h, "e edit") || !strings.Contains(h, "find") {
		t.Errorf("hinted at is %q", h)
	}
	s.keys("ctrl+k")
	s.typed("undo your")
	s.shows("undo what you did last · read-only")
	s.keys("enter")
	s.shows("read-only")
	s.keys("esc esc ?")
	s.typed("rename")
	s.shows("rename · read-only")

	free := newSim(t, sample(), 160, 30)
	free.on("people/dana.md")
	free.shows("d delete", "u undo")
}

// Whoever sends them, requests that would change the store are refused.
func TestReadOnly_RefusesRequestsThatWrite(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 160, 30, func(c *Config) { c.ReadOnly = true })
	for _, r := range []screen.Request{screen.Act{}, screen.NewMemory{}, screen.Create{}, screen.Edit{}, screen.External{}, screen.Rename{}, screen.Move{}, screen.Delete{},
		screen.Transfer{}, screen.Duplicate{}, screen.Undo{}, screen.Redo{}, screen.UndoSession{}, screen.UndoSessionOf{}, screen.UndoChanges{}, screen.Restore{},
		screen.AskRestore{}, screen.RestoreAt{}, screen.RestoreSeveral{}, deciding.UndoHunks{}, screen.Redact{}, screen.RedactVersions{}, screen.Policy{}, screen.Pin{}, screen.Unpin{}} {
		s.send(screen.Notice{Text: "before"})
		s.send(r)
		s.shows("read-only: nothing is written")
	}
}

// actionScenes returns the states from which every action is run, those with the most
// available actions first.
func actionScenes() []engineScene {
	deleted := func(s *sim, _ string) {
		s.send(screen.Open{Path: at("safe.md")})
		if _, err := s.app.cfg.Store.Delete(context.Background(), me, at("safe.md")); err != nil {
			panic(err)
		}
		s.run(s.app.live.Reload())
	}
	return slices.Concat([]engineScene{
		{"the tree", func(*sim, string) {}},
		{"a memory", func(s *sim, _ string) { s.keys("tab") }},
		{"the editor", func(s *sim, _ string) { s.keys("tab e"); s.typed("more ") }},
		{"a memory that is gone", deleted},
		{"an older version", func(s *sim, _ string) { s.keys("H j") }},
		{"the diff", func(s *sim, _ string) { s.keys("H enter") }},
		{"a replacement", func(s *sim, _ string) { s.keys("ctrl+g"); s.typed("two"); s.keys("ctrl+r"); s.typed("2") }},
		{"a plan", func(s *sim, _ string) { s.send(screen.RestoreAt{At: versions.Moment{Change: 5}}) }},
		{"what agents did", func(s *sim, _ string) { s.keys("A j l") }},
		{"redact, decided", func(s *sim, _ string) { s.send(screen.Redact{Match: "line"}); s.keys("d") }},
	}, engineScenes)
}

// runAll runs every action of every map once, in the first scene in which it is available, and answers its
// questions.
func runAll(t *testing.T, readOnly bool, ran func(s *sim, scene string, e keys.Entry, before int64)) {
	t.Chdir(t.TempDir()) // exports are written there
	type act struct{ in, id string }
	of := func(e keys.Entry) act { return act{e.Map, e.ID} }
	done := map[act]bool{{"global", "global.suspend"}: true}
	var s *sim
	var newestWas int64
	can := func(e keys.Entry) bool { return !e.Hide && (e.Why == "" || e.Why == "read-only") }
	begin := func(scene engineScene) {
		if s == nil || newest(t, s.app.cfg.Store).Number != newestWas {
			s = engineSim(t, "evil", 120, 40, func(c *Config) { c.ReadOnly = readOnly })
			newestWas = newest(t, s.app.cfg.Store).Number
		}
		a := s.app
		a.overlay, a.prompt, a.pending, a.history, a.agents = nil, nil, keys.Pending{}, nil, nil
		a.notices = jobs.NewNotices(a.later)
		a.editing.Close()
		a.live.SetFollowing(false)
		s.leaveScreens()
		a.setFocus(frame.Tree)
		s.send(screen.Open{Path: at("d/evil"), Stay: true})
		scene.play(s, "two")
		a.overlay, a.prompt = nil, nil
		a.notices = jobs.NewNotices(a.later)
	}
	for _, scene := range actionScenes() {
		begin(scene)
		for _, e := range s.app.available().all() {
			if done[of(e)] || !can(e) {
				continue
			}
			done[of(e)] = true
			begin(scene)
			again := func(o keys.Entry) bool { return of(o) == of(e) && can(o) }
			i := slices.IndexFunc(s.app.available().all(), again)
			if i < 0 { // the previous action left something behind
				s = nil
				begin(scene)
				i = slices.IndexFunc(s.app.available().all(), again)
			}
			if i < 0 {
				t.Fatalf("%s: %s is not available again", scene.name, of(e))
			}
			e, before := s.app.available().all()[i], newest(t, s.app.cfg.Store).Number
			s.run(e.Do(0))
			s.answered()
			ran(s, scene.name, e, before)
		}
	}
}

// answered answers the questions of an action, one after the other.
func (s *sim) answered() {
	for range 4 {
		c, asks := s.app.overlay.(*dialog.Choice)
		switch {
		case s.app.prompt != nil:
			s.typed("#1")
			s.keys("enter")
		case asks && c.Name == "not saved": // closing writes nothing, saving does
			s.keys("esc")
		case asks:
			s.keys(c.Options[0].Key)
		default:
			return
		}
	}
}

// Every action that changes the store is marked.
func TestActions_ThatWriteAreMarked(t *testing.T) {
	wrote := map[string]bool{}
	runAll(t, false, func(s *sim, scene string, e keys.Entry, before int64) {
		if newest(t, s.app.cfg.Store).Number == before {
			return
		}
		wrote[e.ID] = true
		if !e.Writes {
			t.Errorf("%s: %s changes the store, and is not marked as writing", scene, e.ID)
		}
	})
	for _, id := range []string{"tree.delete", "list.rename", "change.restore", "change.apply", "change.redact", "search-replace.apply", "editor.save", "global.undo", "change.undo"} {
		if !wrote[id] {
			t.Errorf("%s was to change the store, and did not", id)
		}
	}
}

// In a read-only store, exactly the actions that would be refused are disabled.
func TestReadOnly_MarksDisabledActions(t *testing.T) {
	runAll(t, true, func(s *sim, scene string, e keys.Entry, before int64) {
		refused := slices.ContainsFunc(s.app.notices.All(), func(m jobs.Notice) bool { return strings.Contains(m.Text, "read-only") })
		if now := newest(t, s.app.cfg.Store).Number; now != before {
			t.Errorf("%s: %s makes change #%d", scene, e.ID, now)
		}
		if refused && e.Why == "" {
			t.Errorf("%s: %s is refused, and does not say so before", scene, e.ID)
		}
		if !refused && e.Why == "read-only" {
			t.Errorf("%s: %s is not refused, though it says so before:\n%s", scene, e.ID, s.screen())
		}
	})
}
