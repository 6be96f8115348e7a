package engine_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vhistory "github.com/memend/memend/versions/history"
)

// records are what an agent wrote down, as a test has it.
type records struct {
	texts []versions.Recalled
	calls []versions.Evidence

	asked []versions.Unexplained
	first bool
	since []time.Time
}

func (r *records) Texts(_ context.Context, _ versions.StoreInfo, asked []versions.Unexplained, first bool) ([]versions.Recalled, error) {
	r.asked, r.first = asked, first
	return slices.Clone(r.texts), nil
}

func (r *records) Calls(_ context.Context, _ versions.StoreInfo, since time.Time) ([]versions.Evidence, error) {
	r.since = append(r.since, since)
	return slices.Clone(r.calls), nil
}

func recalled(p, text, session string, at time.Time) versions.Recalled {
	r := versions.Recalled{Path: mustPath(p), Text: []byte(text), At: at}
	if session != "" {
		r.By = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: versions.SessionID(session), ToolUse: "t"}
	}
	return r
}

func TestAFirstLookTakesInWhatRecordsTell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	yesterday := time.Now().Add(-24 * time.Hour)
	r := &records{texts: []versions.Recalled{recalled("b.md", "b", "S", yesterday.Add(2*time.Second)), recalled("a.md", "1", "", yesterday), recalled("a.md", "2", "S", yesterday.Add(time.Second)),
		recalled("gone.md", "x", "S", yesterday.Add(3*time.Second)), recalled(".hidden", "x", "S", yesterday), recalled("ahead.md", "x", "S", time.Now().Add(time.Hour))}}
	w.trail.Recall = r
	w.outside("a.md", "2")
	w.outside("b.md", "other")
	w.outside("ahead.md", "x")
	w.sync()
	if !r.first || len(r.asked) != 3 {
		t.Errorf("asked for %v, first %v", r.asked, r.first)
	}
	for p, want := range map[string][]string{"a.md": {"S/t", "outside"}, "b.md": {"outside", "S/t"}, "gone.md": {"outside", "S/t"}, "ahead.md": {"S/t"}} {
		var got []string
		for _, v := range w.history(p) {
			got = append(got, writerName(v))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is by %v, want %v", p, got, want)
		}
	}
	a := w.history("a.md")
	if d := a[0].Time.Sub(yesterday.Add(time.Second)); d.Abs() > time.Millisecond {
		t.Errorf("a.md@2 has the time %v", a[0].Time)
	}
	if w.history("ahead.md")[0].Time.After(time.Now()) {
		t.Error("a version has a time to come")
	}
	if problems, err := check.Store(t.Context(), w.store); err != nil || len(problems) > 0 {
		t.Errorf("%q, %v", problems, err)
	}
	// Nothing is known of the store as a whole from before it was looked at.
	if _, err := vhistory.MomentAt(t.Context(), w.store, yesterday.Add(time.Second)); err == nil {
		t.Error("the store is known as it was yesterday")
	}
}

func TestALaterLookTakesInWhatHappenedSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := &records{}
	w.trail.Recall = r
	w.outside("a.md", "1")
	w.sync()
	looked := time.Now()
	time.Sleep(30 * time.Millisecond)
	w.outside("a.md", "3")
	r.texts = []versions.Recalled{recalled("a.md", "2", "S", time.Now()), recalled("a.md", "3", "T", time.Now())}
	w.sync()
	if len(r.asked) != 1 || r.first || r.asked[0].Since.Before(looked.Add(-time.Second)) {
		t.Errorf("asked for %+v", r.asked)
	}
	if text, known := r.asked[0].Held(); !known || string(text) != "1" {
		t.Errorf("it held %q, %v", text, known)
	}
	if text, at := r.asked[0].Holds(); string(text) != "3" || at.Before(looked) {
		t.Errorf("it holds %q since %v", text, at)
	}
	var got []string
	for _, v := range w.history("a.md") {
		got = append(got, writerName(v))
	}
	if !slices.Equal(got, []string{"T/t", "S/t", "outside"}) {
		t.Errorf("a.md is by %v", got)
	}
	w.sync()
	if n := len(w.history("a.md")); n != 3 {
		t.Errorf("the same is told again, and there are %d versions", n)
	}
}

// Records come late: a change that was nobody's becomes the agent's with the next look,
// and what they don't tell is asked for only as long as they may not be complete.
func TestRecordsThatComeLateAreAskedAgain(t *testing.T) {
	t.Parallel()
	var late time.Duration
	w := newWorld(t, versions.Options{Now: func() time.Time { return time.Now().Add(late) }})
	r := &records{}
	w.trail.Recall = r
	w.sync()
	w.outside("a.md", "one")
	w.sync()
	w.outside("b.md", "two")
	w.sync()
	if by := w.by("a.md"); by != "outside" {
		t.Fatalf("by %s", by)
	}
	r.calls = []versions.Evidence{wrote("S", "t1", "a.md", "one", time.Now())}
	w.sync()
	if a, b := w.by("a.md"), w.by("b.md"); a != "S/t1" || b != "outside" {
		t.Errorf("a.md is by %s, b.md by %s", a, b)
	}
	late = 6 * time.Minute
	w.sync()
	asked := len(r.since)
	w.sync()
	if len(r.since) != asked {
		t.Error("it is asked for ever")
	}
	if problems, err := check.Store(t.Context(), w.store); err != nil || len(problems) > 0 {
		t.Errorf("%q, %v", problems, err)
	}
}

// Who made a change that agents' records told of stays, whoever fits it as well later:
// what the records say is not kept to be weighed against that.
func TestWhatRecordsToldIsNotGivenToALaterSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := time.Now().Add(-time.Second)
	w.trail.Recall = &records{texts: []versions.Recalled{recalled("MEMORY.md", "- [a](a.md)\n", "first", at)}}
	w.outside("MEMORY.md", "- [a](a.md)\n")
	w.sync()
	if err := w.store.Report(t.Context(), versions.Evidence{Op: versions.CallStarted, Path: mustPath("MEMORY.md"), Began: at.Add(-time.Second), Ended: time.Now().Add(time.Second),
		By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "second"}}); err != nil {
		t.Fatal(err)
	}
	if v := w.history("MEMORY.md")[0]; v.Session != "first" {
		t.Errorf("it is by %s in %q", v.Actor, v.Session)
	}
}
