package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// odd are names that a URI must not garble.
var odd = []string{"a b.md", "100%.txt", "a%20b", "what?.md", "x#y", "é/ü.md", "日本/語.md", "a&b=c+d;e,f", "[x]{y}|z", "😀.md", `back\slash`, "q'uo\"te", "a:b@c", "~t_-.md", "..x", "e\u0301"}

func TestURIsOfUnusualNamesRoundTrip(t *testing.T) {
	t.Parallel()
	for _, name := range odd {
		p, err := memfs.ParsePath(name)
		if err != nil {
			t.Fatal(err)
		}
		uri := uriOf(p)
		back, err := pathOf(uri)
		if err != nil || back != p || strings.ContainsAny(uri, " ?#%zz\"<>\\^`{|}") && !strings.Contains(uri, "%") {
			t.Errorf("%q becomes %s and %v, %v", name, uri, back, err)
		}
		for _, r := range uri {
			if r > 0x7e || r <= 0x20 {
				t.Errorf("%q becomes %s", name, uri)
			}
		}
	}
	for _, bad := range []string{"", "file:///etc/passwd", "memend:///etc/passwd", "memend:///memories/../x", "memend:///memories/%2e%2e/x", "memend:///memories/%zz",
		"memend:///memories/%252e%252e/x", "memend://memories/a", "memend:///memories/a%00b", "memend:///memoriesx", "memend:///memories/%ff"} {
		if p, err := pathOf(bad); err == nil {
			t.Errorf("%q is read as %s", bad, p.Tool())
		}
	}
}

func TestMemoriesAreResourcesListedPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var files []versions.NewFile
	want := map[string]int64{}
	for n := range 2*pageSize + 7 {
		p, _ := memfs.ParsePath(fmt.Sprintf("many/%04d.md", n))
		files = append(files, versions.NewFile{Path: p, Content: fmt.Appendf(nil, "memory %d\n", n)})
		want[uriOf(p)] = int64(len(files[n].Content))
	}
	for _, name := range odd {
		p, _ := memfs.ParsePath(name)
		files = append(files, versions.NewFile{Path: p, Content: []byte(name)})
		want[uriOf(p)] = int64(len(name))
	}
	if _, err := w.store.ImportFiles(t.Context(), alice, files, false); err != nil {
		t.Fatal(err)
	}
	folder := w.store.Info().Folder
	for name, make := range map[string]func(string) error{
		".hidden": func(f string) error { return os.WriteFile(f, []byte("x"), 0o600) },
		"link":    func(f string) error { return os.Symlink("many", f) },
	} {
		if err := make(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := w.connect("one", nil)
	got := map[string]int64{}
	pages := 0
	for p := (&mcp.ListResourcesParams{}); ; pages++ {
		res, err := c.ListResources(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Resources) > pageSize {
			t.Errorf("a page of %d", len(res.Resources))
		}
		for _, r := range res.Resources {
			if _, twice := got[r.URI]; twice || r.Name == "" || r.MIMEType == "" || r.Annotations.LastModified == "" {
				t.Errorf("twice or without its facts: %+v", r)
			}
			got[r.URI] = r.Size
		}
		if p.Cursor = res.NextCursor; p.Cursor == "" {
			break
		}
	}
	if pages != 2 || len(got) != len(want) {
		t.Errorf("%d pages with %d resources, want %d", pages+1, len(got), len(want))
	}
	for uri, size := range want {
		if got[uri] != size {
			t.Errorf("%s has %d bytes, want %d", uri, got[uri], size)
		}
	}
	for _, name := range odd {
		p, _ := memfs.ParsePath(name)
		if text := c.read(uriOf(p)).Text; text != name {
			t.Errorf("%q is read as %q", name, text)
		}
	}
	w.s.mu.Lock()
	kept := len(w.s.kept)
	w.s.mu.Unlock()
	if kept != 0 {
		t.Error("the list is kept after its last page")
	}
	for _, bad := range []string{"~", "MA", "OTk5L3g"} {
		if _, err := c.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: bad}); bad != "MA" && err == nil {
			t.Errorf("cursor %q is taken", bad)
		}
	}
}

func (c *client) read(uri string) *mcp.ResourceContents {
	c.t.Helper()
	res, err := c.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		c.t.Fatalf("read %s: %v", uri, err)
	}
	return res.Contents[0]
}

func TestResourcesHaveTheirTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	folder := w.store.Info().Folder
	for name, content := range map[string]string{
		"a.md": "text\n", "data.json": "{}", "empty.md": "", "raw.bin": "\xff\x00\xfe", "long.md": strings.Repeat("x", maxRead+7),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A read of what is no memory yet has nothing in the ledger to be of.
	eventually(t, "the folder's files become memories", func() bool { es, _ := w.store.Tree(t.Context()); return len(es) == 5 })
	c := w.connect("one", nil)
	for name, want := range map[string]mcp.ResourceContents{
		"a.md":      {MIMEType: "text/markdown", Text: "text\n"},
		"data.json": {MIMEType: "application/json", Text: "{}"},
		"empty.md":  {MIMEType: "text/markdown"},
		"raw.bin":   {MIMEType: "application/octet-stream", Blob: []byte("\xff\x00\xfe")},
	} {
		got := c.read("memend:///memories/" + name)
		if got.MIMEType != want.MIMEType || got.Text != want.Text || string(got.Blob) != string(want.Blob) || got.Text == "" && got.Blob == nil {
			t.Errorf("%s is %+v", name, got)
		}
		if got.Meta["dev.memend/content_sha256"] == "" {
			t.Errorf("%s has no hash", name)
		}
	}
	for uri, says := range map[string]string{
		"memend:///memories/long.md":   "2097159 bytes",
		"memend:///memories/none.md":   "not found",
		"memend:///memories":           "not found",
		"memend:///memories/a.md/x":    "not found",
		"memend:///memories/../secret": "not found",
		"file:///etc/passwd":           "not found",
	} {
		_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), says) || strings.Contains(err.Error(), folder) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if reads := w.reads(); len(reads) != 4 {
		t.Errorf("%d reads are in the ledger", len(reads))
	}
}

func TestPathsOfTheTemplateAreCompleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range maxCompletions + 5 {
		w.write(fmt.Sprintf("notes/%03d.md", n), "x")
	}
	w.write("plan.md", "x")
	c := w.connect("one", nil)
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 1 {
		t.Fatal(templates, err)
	}
	ask := func(value string) mcp.CompletionResultDetails {
		res, err := c.Complete(t.Context(), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: templates.ResourceTemplates[0].URITemplate},
			Argument: mcp.CompleteParamsArgument{Name: "path", Value: value},
		})
		if err != nil {
			t.Fatal(err)
		}
		return res.Completion
	}
	if got := ask("notes/0"); len(got.Values) != maxCompletions || got.Total != maxCompletions || got.HasMore {
		t.Errorf("%+v", got)
	}
	if got := ask(""); len(got.Values) != maxCompletions || got.Total != maxCompletions+6 || !got.HasMore {
		t.Errorf("%+v", got)
	}
	if got := ask("pl"); !slices.Equal(got.Values, []string{"plan.md"}) {
		t.Errorf("%+v", got)
	}
	if got := ask("x"); got.Values == nil || len(got.Values) != 0 {
		t.Errorf("%+v", got)
	}
}

// notifications are those that a client received.
type notifications struct {
	mu      sync.Mutex
	lists   int
	updated map[string]int
	at      time.Time // when it was last
}

func (w *world) listener(protocol string) (*client, *notifications) {
	received := &notifications{updated: map[string]int{}}
	return w.connectBy(protocol, "listener", received.options()), received
}

func (h *notifications) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.lists++
			h.at = time.Now()
		},
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.updated[r.Params.URI]++
			h.at = time.Now()
		},
	}
}

func (h *notifications) of(uri string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.updated[uri]
}

func (h *notifications) list() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lists
}

// last returns the time of the last notification.
func (h *notifications) last() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (c *client) subscribe(uri string) {
	c.t.Helper()
	if err := c.Subscribe(c.t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		c.t.Fatal(err)
	}
}

// The newest version of the protocol has another way to subscribe than those before.
var protocols = []string{"2025-06-18", "2026-07-28"}

func TestClientsAreNotifiedOfAllChanges(t *testing.T) {
	t.Parallel()
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) { notifiesOfChanges(t, protocol) })
	}
}

func notifiesOfChanges(t *testing.T, protocol string) {
	w := newWorld(t, nil)
	w.write("a b.md", "one")
	c, received := w.listener(protocol)
	if got := c.InitializeResult().ProtocolVersion; got != protocol {
		t.Fatal("they speak", got)
	}
	const uri = "memend:///memories/a%20b.md"
	c.subscribe(uri)
	w.waitNotified(c, received)
	lists, seen := received.list(), received.of(uri)

	before := time.Now()
	w.write("a b.md", "two") // a person
	eventually(t, "an update by a person", func() bool { return received.of(uri) == seen+1 })
	t.Logf("told %v after a write of this process began", received.last().Sub(before))

	w.connect("two", nil).must("memory_write", args{"path": "/memories/a b.md", "content": "three"}) // another client
	eventually(t, "an update by a client", func() bool { return received.of(uri) == seen+2 })

	before = time.Now()
	if err := os.WriteFile(filepath.Join(w.store.Info().Folder, "a b.md"), []byte("four"), 0o600); err != nil { // any program
		t.Fatal(err)
	}
	eventually(t, "an update by another program", func() bool { return received.of(uri) == seen+3 })
	t.Logf("told %v after another program wrote the file", received.last().Sub(before))
	if received.list() != lists {
		t.Error("an edit is told as a change of the list")
	}

	other, err := versions.Open(t.Context(), w.trail.Home(), versions.Options{}) // as another process would
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	store, err := other.OpenStore(t.Context(), w.store.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	p, _ := memfs.ParsePath("a b.md")
	before = time.Now()
	if _, err := store.Write(t.Context(), alice, p, []byte("five"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an update by another process", func() bool { return received.of(uri) == seen+4 })
	t.Logf("told %v after a write of another trail began", received.last().Sub(before))

	to, _ := memfs.ParsePath("c.md")
	if _, err := w.store.Rename(t.Context(), alice, p, to); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a move", func() bool { return received.of(uri) == seen+5 && received.list() == lists+1 })
	w.write("new.md", "x")
	eventually(t, "a new memory", func() bool { return received.list() == lists+2 })
	if _, err := w.store.Delete(t.Context(), alice, to); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a deletion", func() bool { return received.list() == lists+3 })

	if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of a subscription", func() bool { return len(w.s.wanted(func(at memfs.Path) bool { return at == p })) == 0 })
}

// waitNotified waits until no more is told of what was done before: changes are told in
// their order, so that of a mark comes after those, and only messages that the SDK
// holds back for a moment come later.
func (w *world) waitNotified(c *client, h *notifications) {
	w.t.Helper()
	const mark = "memend:///memories/mark.md"
	c.subscribe(mark)
	// A client of the newest protocol may return before the server knows of the subscription.
	writes := 0
	eventually(w.t, "the mark", func() bool {
		writes++
		w.write("mark.md", fmt.Sprint(writes))
		return h.of(mark) > 0
	})
	for n := -1; n != h.list(); {
		n = h.list()
		time.Sleep(4 * notifyDelay)
	}
}

// A client is notified with the URI that it sent, however it escaped the path.
func TestASubscriptionKeepsItsSpelling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c, received := w.listener(protocols[0])
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "memend:///memories/../x"}); err == nil {
		t.Error("a path out of the store can be subscribed to")
	}
	spellings := []string{"memend:///memories/n/a&b%20c.md", "memend:///memories/n%2Fa%26b%20c.md", "memend:///memories/n/a%26b%20c.md"}
	for _, uri := range spellings {
		c.subscribe(uri)
	}
	w.write("n/a&b c.md", "x")
	for _, uri := range spellings {
		eventually(t, uri, func() bool { return received.of(uri) == 1 })
	}
}

func TestNotificationsAreBatched(t *testing.T) {
	w := newWorld(t, nil)
	c, received := w.listener(protocols[1])
	c.subscribe("memend:///memories/last.md")
	w.waitNotified(c, received)
	before := received.list()
	for n := range 200 {
		w.write(fmt.Sprintf("m/%d.md", n), "x")
	}
	w.write("last.md", "x")
	eventually(t, "the last of them", func() bool { return received.of("memend:///memories/last.md") == 1 && received.list() > before })
	if n := received.list() - before; n > 100 {
		t.Errorf("%d messages of 201 changes", n)
	}
	c.subscribe("memend:///memories/often.md")
	began := time.Now()
	for n := range 200 {
		w.write("often.md", fmt.Sprint(n))
	}
	took := time.Since(began)
	w.write("last.md", "y")
	eventually(t, "the last again", func() bool { return received.of("memend:///memories/last.md") == 2 })
	if n := received.of("memend:///memories/often.md"); n == 0 || n > int(took/notifyDelay)+2 {
		t.Errorf("%d messages of 200 changes in %v", n, took)
	} else {
		t.Logf("%d messages of 200 changes in %v", n, took)
	}
}
