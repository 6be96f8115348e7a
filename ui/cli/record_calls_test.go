package cli

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// Standard input and a transcript may report the same call: its result is one event.
func TestListen_ReportsTheResultOfACallOnce(t *testing.T) {
	t.Parallel()
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = trail.Close() }()
	info, err := stores.CreateStore(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "me"}}, "", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	path, err := memfs.ParsePath("a.md")
	if err == nil {
		_, err = s.Write(t.Context(), versions.By{}, path, []byte("x"), versions.Pre{})
	}
	if err != nil {
		t.Fatal(err)
	}
	h := &callRecorder{t: trail, open: func(versions.StoreID) *engine.Store { return s }}
	call := func(session, id string) int {
		return len(h.record(t.Context(), []outside.Call{{Agent: "claude-code", Session: session, ToolUse: id, Tool: "Read", Op: versions.CallRead,
			Path: filepath.Join(s.Info().Folder, "a.md"), Ended: time.Now()}}))
	}
	for _, c := range []struct {
		session, id string
		times       int
	}{{"S", "toolu_1", 1}, {"S", "toolu_1", 0}, {"S", "toolu_2", 1}, {"T", "toolu_1", 1}, {"S", "", 1}, {"S", "", 1}} {
		if n := call(c.session, c.id); n != c.times {
			t.Errorf("%s of %s is reported %d times, not %d", c.id, c.session, n, c.times)
		}
	}
}
