package storesapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/testdata/versionstest"
)

// world is a server on a home of its own.
type world struct {
	testing.TB
	home  string
	trail *engine.Trail
	api   *Server
	http  *httptest.Server
	step  atomic.Value // func(string) error: told of each step of a change, and may fail it
}

func newWorld(t testing.TB, change ...func(*Options)) *world {
	t.Helper()
	home := versionstest.Home(t, func(ctx context.Context, dir string) (*engine.Trail, error) {
		return engine.Open(ctx, dir, versions.Options{})
	})
	w := &world{TB: t, home: home}
	var err error
	w.step.Store(func(string) error { return nil })
	hook := func(step string) error { return w.step.Load().(func(string) error)(step) }
	if w.trail, err = engine.Open(t.Context(), w.home, versions.Options{Hook: hook}); err != nil {
		t.Fatal(err)
	}
	o := Options{Trail: w.trail, Local: true, Erase: true}
	for _, f := range change {
		f(&o)
	}
	w.api = New(o)
	w.http = httptest.NewServer(w.api)
	t.Cleanup(func() {
		w.http.Close()
		if err := w.api.Close(); err != nil {
			t.Error(err)
		}
		w.whole()
		if err := w.trail.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// whole makes sure that the trail is, and the folders with it.
func (w *world) whole() {
	w.Helper()
	all, err := w.trail.Stores(context.Background())
	if err != nil {
		w.Error(err)
	}
	for _, info := range all {
		s, err := w.trail.OpenStore(context.Background(), info.ID)
		if errors.Is(err, versions.ErrFolderGone) {
			continue
		}
		if err != nil {
			w.Error(err)
			continue
		}
		problems, err := check.Store(context.Background(), s)
		if err = errors.Join(err, s.Close()); err != nil || len(problems) > 0 {
			w.Errorf("store %s is not whole: %q, %v", info.Name, problems, err)
		}
	}
}

// reply is what came back.
type reply struct {
	w      *world
	status int
	header http.Header
	raw    []byte
	object map[string]any
}

// call sends a request; a body that is no string is JSON.
func (w *world) call(method, path string, body any, headers ...string) reply {
	w.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	case []byte:
		in = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			w.Fatal(err)
		}
		in = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(w.Context(), method, w.http.URL+path, in)
	if err != nil {
		w.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	res, err := w.http.Client().Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	r := reply{w: w, status: res.StatusCode, header: res.Header}
	if r.raw, err = io.ReadAll(res.Body); err != nil {
		w.Fatal(err)
	}
	if err := json.Unmarshal(r.raw, &r.object); err != nil {
		w.Fatalf("%s %s: %v in %q", method, path, err, r.raw)
	}
	if res.Header.Get("Content-Type") != "application/json" || !strings.HasPrefix(res.Header.Get("Request-Id"), "req_") {
		w.Errorf("%s %s: headers %v", method, path, res.Header)
	}
	return r
}

func (w *world) get(path string) reply            { w.Helper(); return w.call("GET", path, nil) }
func (w *world) post(path string, body any) reply { w.Helper(); return w.call("POST", path, body) }
func (w *world) delete(path string) reply         { w.Helper(); return w.call("DELETE", path, nil) }

// ok asserts a success.
func (r reply) ok() reply { r.w.Helper(); return r.is(200, "") }

// is asserts the status, and the type of the error that goes with it.
func (r reply) is(status int, kind string) reply {
	r.w.Helper()
	if r.status != status || kind != "" && (r.str("error", "type") != kind || r.str("type") != "error" || r.str("request_id") != r.header.Get("Request-Id") || r.str("error", "message") == "") {
		r.w.Errorf("%d %s, want %d %s", r.status, r.raw, status, kind)
	}
	return r
}

// at is what stands in the object, by its keys.
func (r reply) at(keys ...string) any {
	var v any = r.object
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

func (r reply) str(keys ...string) string { s, _ := r.at(keys...).(string); return s }

// has asserts values of fields: name, value, name, value.
func (r reply) has(pairs ...any) reply {
	r.w.Helper()
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		got, there := r.object[name]
		if !there {
			r.w.Errorf("%s is not there: %s", name, r.raw)
		}
		same(r.w, name, got, pairs[i+1])
	}
	return r
}

func same(w *world, what string, got, want any) {
	w.Helper()
	a, err := json.Marshal(got)
	b, err2 := json.Marshal(want)
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		w.Errorf("%s is %s, want %s", what, a, b)
	}
}

// fields asserts that an object has these fields and no others.
func (r reply) fields(names string) reply {
	r.w.Helper()
	want := map[string]bool{}
	for _, n := range strings.Fields(names) {
		want[n] = true
	}
	got := map[string]bool{}
	for n := range r.object {
		got[n] = true
	}
	if !reflect.DeepEqual(got, want) {
		r.w.Errorf("fields %v, want %v", got, want)
	}
	return r
}

// rows are those of a list.
func (r reply) rows() (out []reply) {
	r.w.Helper()
	data, ok := r.at("data").([]any)
	if !ok {
		r.w.Fatalf("no list: %s", r.raw)
	}
	for _, d := range data {
		out = append(out, reply{w: r.w, object: d.(map[string]any)})
	}
	return out
}

// column is one field of all rows of a list.
func (r reply) column(name string) (out []string) {
	r.w.Helper()
	for _, row := range r.rows() {
		out = append(out, row.str(name))
	}
	return out
}

// every follows a list to its end and gives one field of all rows.
func (w *world) every(path, name string) (out []string, pages int) {
	w.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for next := ""; ; {
		at := path
		if next != "" {
			at += sep + "page=" + url.QueryEscape(next)
		}
		r := w.get(at).ok()
		out = append(out, r.column(name)...)
		if pages++; pages > 5000 {
			w.Fatal("the list has no end")
		}
		if r.at("next_page") == nil {
			return out, pages
		}
		if next = r.str("next_page"); !strings.HasPrefix(next, "page_") || len(r.rows()) == 0 {
			w.Fatalf("a page goes on at %q with %d rows", next, len(r.rows()))
		}
	}
}

const storesPath = "/v1/memory_stores"

type object map[string]any

// store makes a store and gives the path of it.
func (w *world) store() string {
	w.Helper()
	return storesPath + "/" + w.post(storesPath, object{"name": "a store"}).ok().str("id")
}

// memory makes a memory and gives it.
func (w *world) memory(store, path, content string) reply {
	w.Helper()
	return w.post(store+"/memories", object{"path": path, "content": content}).ok()
}

// place is the path of a memory in the API.
func (r reply) place() string {
	return storesPath + "/" + r.str("memory_store_id") + "/memories/" + r.str("id")
}

func hashOf(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// folder is where the store of this path lies.
func (w *world) folder(store string) string {
	w.Helper()
	info, err := history.Store(w.Context(), w.trail, versions.StoreID(strings.TrimPrefix(store, storesPath+"/")))
	if err != nil {
		w.Fatal(err)
	}
	return info.Folder
}

// outside writes a file as another program does.
func (w *world) outside(store, path, content string) {
	w.Helper()
	file := filepath.Join(w.folder(store), filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		w.Fatal(err)
	}
}

// soon waits until something holds.
func (w *world) soon(what string, holds func() bool) {
	w.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("never: %s", what)
		}
	}
}

// together runs f n times at once.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

func numbered(format string, n int) string { return fmt.Sprintf(format, n) }
