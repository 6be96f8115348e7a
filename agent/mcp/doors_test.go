package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// Whatever a line holds, the ones after it are answered.
func TestInvalidLinesGetAnErrorAndServingContinues(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]struct {
		line string
		code string
	}{
		"garbage":           {"this is no protocol", "-32700"},
		"half a message":    {`{"jsonrpc":"2.0","id":5,`, "-32700"},
		"a number":          {`7`, "-32600"},
		"another version":   {`{"jsonrpc":"1.0","id":5,"method":"ping"}`, "-32600"},
		"a batch":           {`[{"jsonrpc":"2.0","id":5,"method":"ping"}]`, "-32600"},
		"a line of 33 MiB":  {`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"` + strings.Repeat("x", maxMessage) + `"}}`, "-32600"},
		"a control in JSON": {"{\"jsonrpc\":\"2.0\",\x01}", "-32700"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			got, err := w.answered(t, initialized+bad.line+"\n\n"+`{"jsonrpc":"2.0","id":9,"method":"ping"}`+"\n")
			if err != nil || got["9"] == "" || got["1"] == "" {
				t.Errorf("%v, answers %v", err, got)
			}
			if refusal := got["null"]; !strings.Contains(refusal, bad.code) {
				t.Errorf("it is answered %q", refusal)
			}
		})
	}
}

func TestControlCharactersInAURIDoNotEndTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := initialized
	for n, uri := range []string{"memend:///memories/a\x01.md", "memend:///memories/a%01.md", "elsewhere://\x7f\u0085\a", "\x1b[2J", "memend:///memories/\u202e", "memend:///memories/a%zz\x02"} {
		quoted, err := json.Marshal(uri)
		if err != nil {
			t.Fatal(err)
		}
		for m, method := range []string{"resources/read", "resources/subscribe", "resources/unsubscribe"} {
			in += `{"jsonrpc":"2.0","id":` + string('1'+rune(n)) + string('0'+rune(m)) + `,"method":"` + method + `","params":{"uri":` + string(quoted) + `}}` + "\n"
		}
	}
	got, err := w.answered(t, in+`{"jsonrpc":"2.0","id":99,"method":"ping"}`+"\n")
	if err != nil || got["99"] != "{}" || len(got) != 20 {
		t.Errorf("%v, %d answers: %v", err, len(got), got)
	}
}

// Clients that leave without a word make room for others.
func TestSessionsOverHTTPAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.sessions = 4 })
	url := w.listen("")
	kept := dial(t, url, "", "kept", nil)
	for range 20 {
		hello := request(t, http.MethodPost, url, "", initialize)
		if _, _ = io.Copy(io.Discard, hello.Body); hello.StatusCode != 200 {
			t.Fatalf("refused: %d", hello.StatusCode)
		}
		kept.must("memory", args{"command": "view", "path": "/memories"})
	}
	w.s.mu.Lock()
	n := len(w.s.callers)
	w.s.mu.Unlock()
	if n > 4 {
		t.Errorf("%d sessions", n)
	}
	eventually(t, "the end of the sessions that made room", func() bool {
		n := 0
		for range w.s.sdk.Sessions() {
			n++
		}
		return n <= 4
	})
}

// A client with a token of its own is recorded under its name, whatever it calls itself.
func TestAClientsTokenSetsItsActor(t *testing.T) {
	t.Parallel()
	book := tokens.In(t.TempDir())
	ci, err := book.Issue("ci")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil)
	url := w.listenTo(tokens.Guard{Token: "the token of the server", Clients: book})
	dial(t, url, ci, "liar", nil).must("memory_write", args{"path": "/memories/a.md", "content": "x"})
	dial(t, url, "the token of the server", "other", nil).must("memory_write", args{"path": "/memories/b.md", "content": "x"})
	got := map[string]versions.Actor{}
	for _, c := range w.changes() {
		got[c.Path.Tool()] = c.Actor
	}
	if got["/memories/a.md"] != (versions.Actor{Kind: versions.APIKey, Name: "ci"}) || got["/memories/b.md"] != (versions.Actor{Kind: versions.Agent, Name: "other 1.2.3"}) {
		t.Errorf("%v", got)
	}
	// Nobody names itself so.
	code, _ := post(t, url, initialize, map[string]string{"Authorization": "Bearer the token of the server", clientHeader: "ci"})
	if code != 200 {
		t.Error(code)
	}
	if err := book.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	if code, _ := post(t, url, initialize, map[string]string{"X-Api-Key": ci}); code != 401 {
		t.Errorf("a revoked token: %d", code)
	}
}

func TestControlFilesAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.connect("one", nil)
	for tool, in := range map[string]args{
		"memory":       {"command": "create", "path": "/memories/.git/hooks/x", "file_text": "x"},
		"memory_write": {"path": "/memories/.git/hooks/x", "content": "x"},
	} {
		if text, bad := c.call(tool, in); !bad || !strings.Contains(text, memfs.ErrControlFile.Error()) {
			t.Errorf("%s: %q", tool, text)
		}
	}
}

func TestUnnamedFilesAreRefusedWithTheNamedOnes(t *testing.T) {
	t.Parallel()
	files, err := memfs.ParseNames([]string{"AGENTS.md", ".claude/rules/**"})
	if err != nil {
		t.Fatal(err)
	}
	trail, err := engine.Open(t.Context(), newHome(t), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close() })
	info, err := trail.MakeStore(t.Context(), alice, versions.NewStore{Name: "rules", Folder: t.TempDir(), Files: files})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, trail: trail}
	if w.store, err = trail.OpenStore(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	w.serve(nil)
	c := w.connect("one", nil)
	const refused = "is not one of the files of this store, which are AGENTS.md, .claude/rules/**"
	for tool, in := range map[string]args{
		"memory":       {"command": "create", "path": "/memories/x.md", "file_text": "x"},
		"memory_write": {"path": "/memories/x.md", "content": "x"},
	} {
		if text, bad := c.call(tool, in); !bad || !strings.Contains(text, refused) {
			t.Errorf("%s: %q", tool, text)
		}
	}
	if text, bad := c.call("memory_write", args{"path": "/memories/.claude/rules/x.md", "content": "x"}); !bad || !strings.Contains(text, memfs.ErrControlFile.Error()) {
		t.Errorf("a control file: %q", text)
	}
	c.must("memory_write", args{"path": "/memories/AGENTS.md", "content": "x"})
}

// A store that is gone for good does not come back with its folder.
func TestDeletedStoresAreReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.connect("one", nil)
	c.must("memory_write", args{"path": "/memories/a.md", "content": "x"})
	other, err := stores.Delete(t.Context(), w.trail, alice, w.store.Info().ID, versions.Scrub{})
	if err != nil {
		t.Fatal(other, err)
	}
	for tool, in := range map[string]args{"memory": {"command": "create", "path": "/memories/b.md", "file_text": "x"},
		"memory_write": {"path": "/memories/b.md", "content": "x"}, "memory_read": {"path": "/memories/a.md"}, "memory_list": {}} {
		if text, bad := c.call(tool, in); !bad || !strings.Contains(text, "the memory store was deleted") {
			t.Errorf("%s: %q", tool, text)
		}
	}
}
