package mcp

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/testdata/versionstest"
)

// world is a home with a store, and a server of it.
type world struct {
	t     testing.TB
	trail *engine.Trail
	store *engine.Store
	s     *Server
}

var alice = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_alice"}

// newHome returns a new home with an empty trail.
func newHome(t testing.TB) string {
	t.Helper()
	return versionstest.Home(t, func(ctx context.Context, dir string) (*engine.Trail, error) {
		return engine.Open(ctx, dir, versions.Options{})
	})
}

func newWorld(t testing.TB, set func(*Options)) *world {
	t.Helper()
	trail, err := engine.Open(t.Context(), newHome(t), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close() })
	w := &world{t: t, trail: trail, store: newStore(t, trail, "wiki")}
	w.serve(set)
	return w
}

// worldOf serves a folder.
func worldOf(t testing.TB, folder string, o versions.Options, set func(*Options)) *world {
	t.Helper()
	return worldIn(t, openTrail(t, o), folder, set)
}

func openTrail(t testing.TB, o versions.Options) *engine.Trail {
	t.Helper()
	trail, err := engine.Open(t.Context(), newHome(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close() })
	return trail
}

// worldIn is a world whose store is one of a home that others use.
func worldIn(t testing.TB, trail *engine.Trail, folder string, set func(*Options)) *world {
	t.Helper()
	info, err := stores.CreateStore(t.Context(), trail, alice, "", "", folder)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, trail: trail}
	if w.store, err = trail.OpenStore(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	w.serve(set)
	return w
}

func newStore(t testing.TB, trail *engine.Trail, name string) *engine.Store {
	t.Helper()
	info, err := stores.CreateStore(t.Context(), trail, alice, name, "about "+name, t.TempDir())
	if err == nil && info.Name != name {
		info, err = stores.Update(t.Context(), trail, alice, info.ID, versions.StoreUpdate{Name: &name})
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// serve makes the server, in the place of the one before.
func (w *world) serve(set func(*Options)) {
	w.t.Helper()
	o := Options{Trail: w.trail, Stores: []versions.Attachment{{Store: w.store.Info().ID}}, Tools: BothTools, Version: "test"}
	if set != nil {
		set(&o)
	}
	var err error
	if w.s, err = New(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
	s := w.s
	w.t.Cleanup(func() { _ = s.Close() })
}

func (w *world) write(p, content string) {
	w.t.Helper()
	path, err := memfs.ParsePath(p)
	if err == nil {
		_, err = w.store.Write(w.t.Context(), alice, path, []byte(content), versions.Pre{})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// client is one that is connected.
type client struct {
	t testing.TB
	*mcp.ClientSession
}

// connect connects a client in memory.
func (w *world) connect(name string, o *mcp.ClientOptions) *client {
	w.t.Helper()
	return w.connectBy("", name, o)
}

// connectBy connects one that speaks a version of the protocol.
func (w *world) connectBy(protocol, name string, o *mcp.ClientOptions) *client {
	w.t.Helper()
	near, far := mcp.NewInMemoryTransports()
	if _, err := w.s.sdk.Connect(w.t.Context(), far, nil); err != nil {
		w.t.Fatal(err)
	}
	return join(w.t, near, protocol, name, o)
}

func join(t testing.TB, over mcp.Transport, protocol, name string, o *mcp.ClientOptions) *client {
	t.Helper()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1.2.3"}, o).Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	return &client{t, cs}
}

type args map[string]any

// call calls a tool and gives the text that the model reads.
func (c *client) call(tool string, in any) (string, bool) {
	c.t.Helper()
	res, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		c.t.Fatalf("%s %v: %v", tool, in, err)
	}
	return textOf(res), res.IsError
}

func textOf(res *mcp.CallToolResult) string {
	if len(res.Content) != 1 {
		return "not one content"
	}
	t, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		return "no text"
	}
	return t.Text
}

// must calls a tool that has to do what it is asked.
func (c *client) must(tool string, in any) string {
	c.t.Helper()
	text, bad := c.call(tool, in)
	if bad {
		c.t.Fatalf("%s %v: %s", tool, in, text)
	}
	return text
}

// into is must for answers that are structured.
func into[T any](c *client, tool string, in any) (out T) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.must(tool, in)), &out); err != nil {
		c.t.Fatal(err)
	}
	return out
}

// eventually waits for something that comes soon.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come: " + what)
		}
	}
}
