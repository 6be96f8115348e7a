package storesapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/lib/environments"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// The official Go SDK, of which nothing is set but the base URL and a key.

func (w *world) sdk() anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(w.http.URL), option.WithAPIKey("any"))
}

// refused asserts an error of the API.
func refused(t *testing.T, err error, status int, kind string) *anthropic.Error {
	t.Helper()
	var e *anthropic.Error
	if !errors.As(err, &e) || e.StatusCode != status || !strings.Contains(e.RawJSON(), kind) {
		t.Fatalf("%v, want %d %s", err, status, kind)
	}
	if e.RequestID == "" {
		t.Error("no request id")
	}
	return e
}

func TestTheGoSDKWorksUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, client := t.Context(), w.sdk()
	all := client.Beta.MemoryStores
	st, err := all.New(ctx, anthropic.BetaMemoryStoreNewParams{Name: "User Preferences", Description: anthropic.String("Per-user."), Metadata: map[string]string{"user": "u1"}})
	if err != nil {
		t.Fatal(err)
	}
	if st.Name != "User Preferences" || st.Metadata["user"] != "u1" || st.CreatedAt.IsZero() || !st.ArchivedAt.IsZero() {
		t.Errorf("%s", st.RawJSON())
	}
	if st, err = all.Update(ctx, st.ID, anthropic.BetaMemoryStoreUpdateParams{Description: anthropic.String("")}); err != nil || st.Description != "" || st.Name != "User Preferences" {
		t.Fatalf("%v, %v", st, err)
	}
	m, err := all.Memories.New(ctx, st.ID, anthropic.BetaMemoryStoreMemoryNewParams{Path: "/a.md", Content: anthropic.String("1")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = all.Memories.New(ctx, st.ID, anthropic.BetaMemoryStoreMemoryNewParams{Path: "/a.md/b", Content: anthropic.String("1")})
	if e := refused(t, err, 409, "memory_path_conflict_error"); !strings.Contains(e.RawJSON(), m.ID) {
		t.Error(e.RawJSON())
	}
	update := func(content, base string) (*anthropic.BetaManagedAgentsMemory, error) {
		return all.Memories.Update(ctx, m.ID, anthropic.BetaMemoryStoreMemoryUpdateParams{MemoryStoreID: st.ID, Content: anthropic.String(content),
			Precondition: anthropic.BetaManagedAgentsPreconditionParam{ContentSha256: anthropic.String(hashOf(base))}})
	}
	n, err := update("2", "1")
	if err != nil || n.MemoryVersionID == m.MemoryVersionID || n.ContentSha256 != hashOf("2") {
		t.Fatalf("%v, %v", n, err)
	}
	_, err = update("3", "1")
	refused(t, err, 409, "memory_precondition_failed_error")
	for i := range 45 {
		if _, err := all.Memories.New(ctx, st.ID, anthropic.BetaMemoryStoreMemoryNewParams{Path: fmt.Sprintf("/d/%02d.md", i), Content: anthropic.String("x")}); err != nil {
			t.Fatal(err)
		}
	}
	w.goSDKLists(client, st.ID, m.ID)
	v, err := all.MemoryVersions.Redact(ctx, m.MemoryVersionID, anthropic.BetaMemoryStoreMemoryVersionRedactParams{MemoryStoreID: st.ID})
	if err != nil || v.Content != "" || v.RedactedAt.IsZero() || v.RedactedBy.Type != "api_actor" {
		t.Fatalf("%v, %v", v, err)
	}
	if _, err = all.Memories.Delete(ctx, m.ID, anthropic.BetaMemoryStoreMemoryDeleteParams{MemoryStoreID: st.ID, ExpectedContentSha256: anthropic.String(hashOf("2"))}); err != nil {
		t.Fatal(err)
	}
	_, err = all.Memories.Get(ctx, m.ID, anthropic.BetaMemoryStoreMemoryGetParams{MemoryStoreID: st.ID})
	refused(t, err, 404, "not_found_error")
	if st, err = all.Archive(ctx, st.ID, anthropic.BetaMemoryStoreArchiveParams{}); err != nil || st.ArchivedAt.IsZero() {
		t.Fatalf("%v, %v", st, err)
	}
	if gone, err := all.Delete(ctx, st.ID, anthropic.BetaMemoryStoreDeleteParams{}); err != nil || gone.ID != st.ID {
		t.Fatalf("%v, %v", gone, err)
	}
	_, err = all.Get(ctx, st.ID, anthropic.BetaMemoryStoreGetParams{})
	refused(t, err, 404, "not_found_error")
}

// goSDKLists follows all lists by the SDK's own paging.
func (w *world) goSDKLists(client anthropic.Client, store, memory string) {
	w.Helper()
	ctx, all := w.Context(), client.Beta.MemoryStores
	seen := map[string]int{}
	memories := all.Memories.ListAutoPaging(ctx, store, anthropic.BetaMemoryStoreMemoryListParams{View: anthropic.BetaManagedAgentsMemoryViewFull, Limit: anthropic.Int(20)})
	for memories.Next() {
		if m := memories.Current().AsMemory(); m.Content == "" || m.ContentSha256 != hashOf(m.Content) {
			w.Errorf("%s", m.RawJSON())
		}
		seen["memory"]++
	}
	children := all.Memories.ListAutoPaging(ctx, store, anthropic.BetaMemoryStoreMemoryListParams{Depth: anthropic.Int(1), Limit: anthropic.Int(1)})
	for children.Next() {
		seen["child "+children.Current().Path]++
	}
	versions := all.MemoryVersions.ListAutoPaging(ctx, store, anthropic.BetaMemoryStoreMemoryVersionListParams{Limit: anthropic.Int(7)})
	for versions.Next() {
		seen["version"]++
	}
	of := all.MemoryVersions.ListAutoPaging(ctx, store, anthropic.BetaMemoryStoreMemoryVersionListParams{MemoryID: anthropic.String(memory), Operation: "modified"})
	for of.Next() {
		seen["modified"]++
	}
	list := all.ListAutoPaging(ctx, anthropic.BetaMemoryStoreListParams{IncludeArchived: anthropic.Bool(true)})
	for list.Next() {
		seen["store"]++
	}
	if err := errors.Join(memories.Err(), children.Err(), versions.Err(), of.Err(), list.Err()); err != nil {
		w.Fatal(err)
	}
	same(w, "what the lists had", seen, map[string]int{"memory": 46, "child /a.md": 1, "child /d/": 1, "version": 47, "modified": 1, "store": 1})
}

// folderSync is the SDK's worker that keeps a store's memories in a folder.
type folderSync struct {
	*world
	stores *environments.SessionMemoryStores
	folder string
}

func (w *world) folderSync(store, access string) *folderSync {
	w.Helper()
	f := &folderSync{world: w, folder: filepath.Join(w.TempDir(), "mount")}
	var session anthropic.BetaManagedAgentsSession
	raw, err := json.Marshal(object{"type": "session", "id": "sesn_1", "resources": []object{{"type": "memory_store", "memory_store_id": strings.TrimPrefix(store, storesPath+"/"),
		"access": access, "mount_path": f.folder, "name": "a store", "description": "", "instructions": ""}}})
	if err == nil {
		err = json.Unmarshal(raw, &session)
	}
	if err == nil {
		f.stores, err = environments.NewSessionMemoryStores(w.sdk(), environments.SessionMemoryStoresOptions{Workdir: w.TempDir(), Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	}
	if err == nil {
		err = f.stores.Download(w.Context(), &session)
	}
	if err != nil {
		w.Fatal(err)
	}
	return f
}

func (f *folderSync) write(name, content string) {
	f.Helper()
	file := filepath.Join(f.folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		f.Fatal(err)
	}
}

func (f *folderSync) holds(want map[string]string) {
	f.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(f.folder, func(file string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != environments.MarkerPath {
			var b []byte
			b, err = os.ReadFile(file)
			rel, _ := filepath.Rel(f.folder, file)
			got[rel] = string(b)
		}
		return err
	})
	if err != nil {
		f.Error(err)
	}
	same(f.world, "the folder", got, want)
}

// contents are all memories by their paths.
func (w *world) contents(store string) map[string]string {
	w.Helper()
	out := map[string]string{}
	for _, m := range w.get(store + "/memories?view=full").ok().rows() {
		out[m.str("path")] = m.str("content")
	}
	return out
}

func TestTheGoSDKSyncsAFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.store()
	a, b := w.memory(s, "/a.md", "a"), w.memory(s, "/d/b.md", "b")
	c := w.memory(s, "/c.md", "c")
	f := w.folderSync(s, "read_write")
	f.holds(map[string]string{"a.md": "a", "d/b.md": "b", "c.md": "c"})
	f.write("a.md", "edited here")
	f.write("e/new.md", "made here")
	f.write("large.md", strings.Repeat("x", 102_401))
	if err := os.Remove(filepath.Join(f.folder, "d/b.md")); err != nil {
		t.Fatal(err)
	}
	f.write("c.md", "edited here")
	w.post(c.place(), object{"content": "edited there"}).ok()
	w.memory(s, "/there.md", "made there")
	f.stores.Finish(t.Context())
	want := map[string]string{"/a.md": "edited here", "/e/new.md": "made here", "/c.md": "edited there", "/there.md": "made there"}
	same(w, "the store", w.contents(s), want)
	f.holds(map[string]string{"a.md": "edited here", "e/new.md": "made here", "c.md": "edited there", "there.md": "made there", "large.md": strings.Repeat("x", 102_401)})
	w.get(a.place()).ok().has("content", "edited here")
	w.get(b.place()).is(404, "not_found_error")

	// A write without an end of the session: the flush makes it up.
	w.delete(a.place()).ok()
	f.write("a.md", "again")
	f.stores.FlushWrites(t.Context())
	want["/a.md"] = "again"
	same(w, "the store", w.contents(s), want)
	f.stores.Dispose()

	// Read-only pulls and never pushes.
	r := w.folderSync(s, "read_only")
	r.write("a.md", "not mine to say")
	r.write("b.md", "not mine to say")
	w.post(c.place(), object{"content": "edited again"}).ok()
	r.stores.Finish(t.Context())
	want["/c.md"] = "edited again"
	same(w, "the store", w.contents(s), want)
	if got, err := os.ReadFile(filepath.Join(r.folder, "c.md")); err != nil || string(got) != "edited again" {
		t.Errorf("%q, %v", got, err)
	}
	r.stores.Dispose()
}
