package engine_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

// ran is a line of shell of a session that names a path.
func ran(session, tool, p string, began, ended time.Time) versions.Evidence {
	e := versions.Evidence{Op: versions.CallRan, Began: began, Ended: ended, By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: versions.SessionID(session), ToolUse: tool}}
	if p != "" {
		e.Path = mustPath(p)
	}
	return e
}

func TestALineOfShellExplainsWhatItNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names  string
		before bool // it is told of before a look at the folder
		want   [3]string
	}{
		"a file":                           {"a.md", true, [3]string{"S/t1", "outside", "outside"}},
		"one of three files of one change": {"a.md", false, [3]string{"outside", "outside", "outside"}},
		"a folder":                         {"sub", true, [3]string{"outside", "S/t1", "outside"}},
		"the store's folder":               {"", true, [3]string{"S/t1", "S/t1", "S/t1"}},
		"the store's folder, told of late": {"", false, [3]string{"S/t1", "S/t1", "S/t1"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.outside("gone.md", "was here")
			w.sync()
			began := time.Now()
			w.outside("a.md", "one")
			w.outside("sub/b.md", "two")
			if err := os.Remove(filepath.Join(w.folder, "gone.md")); err != nil {
				t.Fatal(err)
			}
			if !c.before {
				w.sync()
			}
			w.tell(ran("S", "t1", c.names, began, time.Now()))
			w.sync()
			if got := [3]string{w.by("a.md"), w.by("sub/b.md"), w.by("gone.md")}; got != c.want {
				t.Errorf("by %v, want %v", got, c.want)
			}
		})
	}
}

func TestALineOfShellIsNotTakenForTheWriter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ began, ended time.Duration }{
		"of what was written before it began": {100 * time.Millisecond, 200 * time.Millisecond},
		"of what was written after it ended":  {-time.Second, -200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			at := time.Now()
			w.outside("a.md", "one")
			w.sync()
			w.tell(ran("S", "t1", "", at.Add(c.began), at.Add(c.ended)))
			if by := w.by("a.md"); by != "outside" {
				t.Errorf("by %s", by)
			}
		})
	}
	t.Run("where another session's ran as well", func(t *testing.T) {
		w := newWorld(t)
		began := time.Now()
		w.outside("a.md", "one")
		w.sync()
		w.tell(ran("S", "t1", "", began, time.Now()), ran("T", "t2", "", began, time.Now()))
		if by := w.by("a.md"); by != "outside" {
			t.Errorf("by %s", by)
		}
	})
}

// Claude Code makes the index of its memories when a session starts, where there is none.
func TestAnIndexThatIsMadeWhenASessionStarts_IsOfTheSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path   string
		stood  bool // there was one
		before time.Duration
		late   bool
		want   string
	}{
		"the index":                 {"MEMORY.md", false, 0, false, "S/"},
		"the index, told of later":  {"MEMORY.md", false, 0, true, "S/"},
		"one that was there":        {"MEMORY.md", true, 0, false, "outside"},
		"another file":              {"other.md", false, 0, false, "outside"},
		"one of another session":    {"MEMORY.md", false, time.Minute, false, "outside"},
		"another session's of late": {"MEMORY.md", false, time.Minute, true, "outside"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if c.stood {
				w.outside(c.path, "old")
				w.sync()
			}
			w.outside(c.path, "- [a](a.md)")
			if c.late {
				w.sync()
			}
			at := time.Now().Add(-c.before)
			w.tell(versions.Evidence{Op: versions.CallStarted, Path: mustPath("MEMORY.md"), Began: at.Add(-time.Second), Ended: at.Add(time.Second), By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "S"}})
			w.sync()
			if by := w.by(c.path); by != c.want {
				t.Errorf("%s is by %s, want %s", c.path, by, c.want)
			}
		})
	}
}

func TestWhatASubagentWrote_IsOfItsSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "one")
	w.outside("b.md", "two")
	main, sub := wrote("S", "t1", "a.md", "one", time.Now()), wrote("S", "t2", "b.md", "two", time.Now())
	sub.By.Actor.Name = "claude-code/reviewer"
	w.tell(main, sub)
	if v := w.history("b.md")[0]; v.Actor.Name != "claude-code/reviewer" || v.Session != "S" {
		t.Errorf("by %v in %s", v.Actor, v.Session)
	}
	if v := w.history("a.md")[0]; v.Actor.Name != "claude-code" {
		t.Errorf("by %v", v.Actor)
	}
}

// One change that a session and its subagent made together is the session's.
func TestAChangeOfAnAgentAndItsSubagent_IsTheirSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "one")
	w.outside("b.md", "two")
	w.sync()
	main, sub := wrote("S", "t1", "a.md", "one", time.Now()), wrote("S", "t2", "b.md", "two", time.Now())
	sub.By.Actor.Name = "claude-code/reviewer"
	w.tell(main, sub)
	for _, p := range []string{"a.md", "b.md"} {
		if v := w.history(p)[0]; v.Actor.Name != "claude-code" || v.Session != "S" || v.ToolUse != "" {
			t.Errorf("%s by %v in %s, %s", p, v.Actor, v.Session, v.ToolUse)
		}
	}
}

// Claude Code tells texts with "\n" at the ends of lines, whatever the file has.
func TestATextThatIsToldWithOtherEndsOfLines_IsRecognized(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		w := newWorld(t)
		w.outside("a.md", "one\r\ntwo\r\n")
		if late {
			w.sync()
		}
		e := wrote("S", "t1", "a.md", "one\ntwo\n", time.Now())
		e.CRLF = versions.Sum([]byte("one\r\ntwo\r\n"))
		w.tell(e)
		if by := w.by("a.md"); by != "S/t1" {
			t.Errorf("late %v: by %s", late, by)
		}
	}
}
