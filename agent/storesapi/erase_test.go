package storesapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/stores"
)

func TestRedactionNeedsTheServersPermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Erase = false })
	s := w.store()
	m := w.post(s+"/memories", object{"path": "/a.md", "content": "one"}).ok()
	w.post(m.place(), object{"content": "two"}).ok()
	version := s + "/memory_versions/" + m.str("memory_version_id")
	r := w.post(version+"/redact", nil).is(403, "permission_error")
	if got := r.str("error", "message"); !strings.Contains(got, "--allow-erase") || !strings.Contains(got, "memend redact") {
		t.Error(got)
	}
	r = w.delete(s).is(403, "permission_error")
	if got := r.str("error", "message"); !strings.Contains(got, "--allow-erase") || !strings.Contains(got, "memend stores delete") {
		t.Error(got)
	}
	w.get(version).has("content", "one")
	w.delete(m.place()).ok() // its versions stay
}

// A client with a token of its own is recorded under its name, until it is revoked.
func TestAClientsTokenSetsItsActor(t *testing.T) {
	t.Parallel()
	book := tokens.In(t.TempDir())
	ci, err := book.Issue("ci")
	if err != nil {
		t.Fatal(err)
	}
	const own = "the token of the server"
	w := newWorld(t, func(o *Options) { o.Guard = tokens.Guard{Token: own, Clients: book} })
	s := w.call("POST", storesPath, object{"name": "x"}, "X-Api-Key", own).ok()
	at := storesPath + "/" + s.str("id")
	m := w.call("POST", at+"/memories", object{"path": "/a.md", "content": "x"}, "Authorization", "Bearer "+ci).ok()
	v := w.call("GET", at+"/memory_versions/"+m.str("memory_version_id"), nil, "X-Api-Key", ci).ok()
	if got := v.str("created_by", "api_key_id"); got != "ci" {
		t.Errorf("written by %q", got)
	}
	if err := book.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	w.call("GET", at, nil, "X-Api-Key", ci).is(401, "authentication_error")
	w.call("GET", at, nil, "X-Api-Key", own).ok()
}

func TestControlFilesOfOtherToolsAreInvalidPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.store()
	w.post(s+"/memories", object{"path": "/.git/config", "content": "x"}).is(400, "invalid_request_error")
	m := w.post(s+"/memories", object{"path": "/config", "content": "x"}).ok()
	r := w.post(m.place(), object{"path": "/d/.GIT/config"}).is(400, "invalid_request_error")
	if got := r.str("error", "message"); got != "path: "+memfs.ErrControlFile.Error() {
		t.Error(got)
	}
}

func TestOnlyTheNamedFilesOfAStoreAreValidPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files, err := memfs.ParseNames([]string{"AGENTS.md", ".rules/**"})
	if err != nil {
		t.Fatal(err)
	}
	alice := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}
	info, err := w.trail.MakeStore(t.Context(), alice, versions.NewStore{Name: "rules", Folder: t.TempDir(), Files: files})
	if err != nil {
		t.Fatal(err)
	}
	s := storesPath + "/" + string(info.ID)
	m := w.post(s+"/memories", object{"path": "/AGENTS.md", "content": "x"}).ok()
	for _, r := range []reply{w.post(s+"/memories", object{"path": "/b.md", "content": "x"}), w.post(m.place(), object{"path": "/b.md"})} {
		if got := r.is(400, "invalid_request_error").str("error", "message"); got != "path: is not one of the files of this store, which are AGENTS.md, .rules/**" {
			t.Error(got)
		}
	}
	w.post(m.place(), object{"path": "/.rules/a.md"}).ok()
}

// What the system says of a failure may name files of this machine.
func TestErrorsContainNoLocalPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := filepath.Join(t.TempDir(), "wiki")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := stores.CreateStore(t.Context(), w.trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "wiki", "", folder)
	if err != nil {
		t.Fatal(err)
	}
	s := storesPath + "/" + string(info.ID)
	w.post(s+"/memories", object{"path": "/a.md", "content": "x"}).ok()
	w.step.Store(func(step string) error {
		if strings.HasPrefix(step, "before") {
			return &os.PathError{Op: "open", Path: filepath.Join(w.home, "trail.db"), Err: os.ErrInvalid}
		}
		return nil
	})
	replies := []reply{w.post(s+"/memories", object{"path": "/b.md", "content": "x"}).is(500, "api_error")}
	w.step.Store(func(string) error { return nil })
	if err := os.Rename(folder, folder+"-away"); err != nil {
		t.Fatal(err)
	}
	replies = append(replies, w.post(s+"/memories", object{"path": "/b.md", "content": "x"}).is(500, "api_error"))
	made := filepath.Join(w.home, "stores")
	if err := os.RemoveAll(made); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(made, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	replies = append(replies, w.post("/v1/memory_stores", object{"name": "more"}).is(500, "api_error"))
	for _, r := range replies {
		if strings.Contains(string(r.raw), w.home) || strings.Contains(string(r.raw), folder) || r.str("error", "message") == "" {
			t.Errorf("%s", r.raw)
		}
	}
	if err := os.Rename(folder+"-away", folder); err != nil {
		t.Fatal(err)
	}
}
