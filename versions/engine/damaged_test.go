package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/redact"
)

// What the indexes of a trail don't lead to any more is missed, not left out unsaid.
func TestAnExportSaysWhatItCantFind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ table, columns, damage string }{
		"a version": {"version", "id INTEGER PRIMARY KEY,uid,memory,number,change,op,path,origin,blob,mode,source,redacted,redacted_by", `UPDATE version SET change=change+1 WHERE id=20; UPDATE version SET id=1020 WHERE id=30`},
		"a change":  {"change", "id INTEGER PRIMARY KEY,store,number,kind,path,dest,versions,actor,session,tool_use,turn,ts,wall,undoes,undone_by,message,email", `UPDATE change SET id=1020 WHERE id=20`},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := worn(t)
			w.harmTable(c.table, c.columns, c.damage)
			w.open()
			defer w.close()
			if err := exchange.Export(t.Context(), w.store, func(versions.Item) error { return nil }); !errors.Is(err, versions.ErrDamaged) {
				t.Errorf("export: %v", err)
			}
		})
	}
}

// A panic is survived by whoever serves many: it must not leave the trail locked.
func TestAPanicInAnExportLeavesTheTrailUnlocked(t *testing.T) {
	t.Parallel()
	var panics atomic.Bool // a flush in the background runs statements too
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
	w.open(versions.Options{Driver: faultyDriver(func(step string) error {
		if panics.Load() && strings.Contains(step, "SELECT changes FROM store WHERE id=?") {
			panic(step)
		}
		return nil
	})})
	w.write(alice, "a", "one\n")
	panics.Store(true)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panicked")
			}
		}()
		_ = exchange.Export(t.Context(), w.store, func(versions.Item) error { return nil })
	}()
	panics.Store(false)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	unlock, err := w.trail.DB.Acquire(ctx)
	if err != nil {
		t.Fatal("the trail stays locked")
	}
	unlock()
}

// One damaged content is named where it is, and all others are shown.
// README: "one damaged version blocks no other".
func TestADamagedContentBlocksNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.write(alice, "a", "one\ntwo\n")
	w.write(robot, "a", "one\ntwo\nthree\n")
	w.write(alice, "b", "b\n")
	vs := w.history("a")
	w.exec(`UPDATE blob SET data=zeroblob(length(data)) WHERE id=2`)
	redact.ForgetCounts(w.store)

	after := w.history("a")
	for i, v := range after {
		if v.Damaged != (v.Number == 2) || v.ID != vs[i].ID || v.SHA256 != vs[i].SHA256 {
			t.Errorf("%+v", v)
		}
	}
	b, err := vhistory.Blame(t.Context(), w.store, vs[0].ID)
	if err != nil || len(b.Runs) != 2 || b.Runs[1].By.Number != 3 || b.Runs[1].Since != 2 || b.Runs[0].By.Number != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	listed, _, err := vhistory.Versions(t.Context(), w.store, versions.VersionFilter{Contents: 1 << 20}, "", 10)
	if err != nil || len(listed) != 4 {
		t.Errorf("%+v, %v", listed, err)
	}
	var items []versions.Item
	err = exchange.Export(t.Context(), w.store, func(it versions.Item) error { items = append(items, it); return nil })
	left := (*versions.LeftOutError)(nil)
	if !errors.As(err, &left) || !slices.Equal(left.What, []string{"/memories/a: its content in change 2 is damaged"}) || len(items) != 4+3 {
		t.Errorf("%v, %d items", err, len(items))
	}
	p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Version: vs[1].ID})
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{})
	if err != nil || r.Versions != 1 || r.Outcome != versions.OutcomeUnknown || !strings.Contains(strings.Join(r.Unknown, ""), "not searched for") {
		t.Errorf("%+v, %v", r, err)
	}
}

// A list of memories with their contents names the damaged one and gives all others.
func TestADamagedContentIsListedWithTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.write(alice, "b", "two\n")
	w.exec(`UPDATE blob SET data=zeroblob(length(data)) WHERE id=1`)
	out, _, err := vhistory.ListMemories(t.Context(), w.store, versions.MemoryFilter{Contents: 1 << 20}, "", 10)
	if err != nil || len(out) != 2 || !out[0].Damaged || out[0].Content != nil || out[1].Damaged || string(out[1].Content) != "two\n" {
		t.Errorf("%+v, %v", out, err)
	}
	w.exec(`UPDATE blob SET data=x'6f6e650a' WHERE id=1`)
}

// Searches go on behind a damaged content: those of the memories as they are, of the past
// by another text than its hash says, and for a redaction.
func TestADamagedContentStopsNoSearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.write(alice, "b", "one of b\n")
	w.write(alice, "b", "none, b\n")
	find := func() (found []string) {
		w.must(second(vhistory.Search(t.Context(), w.store, versions.Query{Text: "one"}, func(h versions.Hit) bool {
			found = append(found, h.Path.String())
			return true
		})))
		slices.Sort(found)
		return found
	}
	if got := find(); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Fatal(got)
	}
	p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: []byte("one of b")})
	w.must(err)

	w.write(alice, "a", "one and one\n")
	w.exec(`UPDATE blob SET data=CAST('ten and one'||x'0a' AS BLOB) WHERE id=4`)
	if got := find(); !slices.Equal(got, []string{"/a", "/b"}) { // a's file is whole
		t.Errorf("search: %v", got)
	}
	past := map[string]bool{}
	err = vhistory.SearchHistory(t.Context(), w.store, versions.Query{Text: "one"}, func(h versions.HistoryHit) bool { past[h.Last.Path.String()] = true; return true })
	if !errors.Is(err, versions.ErrDamaged) || !past["/b"] {
		t.Errorf("search of the history: %v, %v", past, err)
	}
	if e, err := vhistory.EntryAt(t.Context(), w.store, mustPath("a"), 4); err != nil || e.Change != 4 {
		t.Errorf("%+v, %v", e, err)
	}
	if r, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{}); err != nil || r.Versions != 1 {
		t.Errorf("a redaction that was planned before: %+v, %v", r, err)
	}
	p, err = redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: []byte("O.E\n"), IgnoreCase: true, Regexp: true})
	if err != nil || p.Unreadable != 1 || len(p.Erase) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	w.exec(`UPDATE blob SET data=CAST('ten'||x'0a' AS BLOB) WHERE id=1`)
	if r, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{}); err != nil || r.Versions != 1 {
		t.Errorf("a redaction of what was damaged since: %+v, %v", r, err)
	}
	w.write(alice, "a", "whole\n")
	p, err = redact.Prepare(t.Context(), w.store, versions.RedactTarget{Version: w.versionOf("a", 2).ID})
	w.must(err)
	w.must(second(redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{})))
}
