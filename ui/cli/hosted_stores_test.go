package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/agent/storesapi"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/replica"
)

var tester = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "dana"}, Session: "sesn_dana"}

// between is a proxy in front of a service that calls a function before each request.
type between struct {
	next   http.Handler
	before atomic.Pointer[func(*http.Request)]
}

func (b *between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f := b.before.Load(); f != nil {
		(*f)(r)
	}
	b.next.ServeHTTP(w, r)
}

// served returns a service with a store of some versions, and an empty home.
func served(t *testing.T, texts int) (at *httptest.Server, there *engine.Store, home *homeStores) {
	t.Helper()
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "MEMEND_API_KEY"} {
		t.Setenv(name, "")
	}
	open := func(o versions.Options) *engine.Trail {
		trail, err := engine.Open(t.Context(), filepath.Join(t.TempDir(), "home"), o)
		if err != nil {
			t.Fatal(err)
		}
		return trail
	}
	service := open(versions.Options{})
	info, err := service.MakeStore(t.Context(), versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, versions.NewStore{Title: "Team memory"})
	if err != nil {
		t.Fatal(err)
	}
	if there, err = service.OpenStore(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	for n := range texts {
		p, _ := memfs.ParsePath(fmt.Sprintf("/n%d.md", n))
		if _, err := there.Write(t.Context(), tester, p, []byte("a text that is long enough to be searched for\n"), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}
	api := storesapi.New(storesapi.Options{Trail: service, Erase: true})
	server := httptest.NewServer(&between{next: api})
	home = &homeStores{Home: local.Home{Trail: open(versions.Options{Upstream: hosted.Dial})}, by: tester}
	t.Cleanup(func() {
		server.Close()
		if err := errors.Join(api.Close(), there.Close(), service.Close(), home.close(), home.Trail.Close()); err != nil {
			t.Error(err)
		}
	})
	return server, there, home
}

// From the list of stores to a service and back, with this program's own service.
func TestScreens_ConnectMirrorAndDisconnectAStoreOfAService(t *testing.T) {
	service, there, home := served(t, 30)
	url := service.URL
	env := screentest.Env(t.Context())
	list := screentest.New(t, env, stores.New(env, home, "", false), 120, 30)
	list.Run(list.Pane.Start())
	list.Keys("c")
	show, ok := list.Last().(screen.Show)
	if !ok {
		t.Fatalf("%+v", list.Last())
	}
	at := screentest.New(t, env, show.Pane.(*stores.Connect), 120, 30)
	at.Run(show.Pane.(screen.Starter).Start())
	at.Shows("no credentials found for the service", "set ANTHROPIC_API_KEY")
	at.Keys("s")
	at.Answer(url)
	at.Shows("Team memory", string(there.Info().ID), url+" · no credentials")

	at.Keys("enter")
	if n, ok := at.Last().(screen.Notice); !ok || n.Bad || n.Text != "connected Team memory as team-memory: 30 versions · Enter opens it" || !at.Left {
		t.Fatalf("%+v", at.Last())
	}
	list.Shows("team-memory", "30", "hosted at "+url+" as Team memory", "as its service had it just now")
	at.Keys("g r")
	at.Shows("Team memory (connected as team-memory)")

	if _, err := there.Delete(t.Context(), tester, pathAt(t, "/n1.md")); err != nil {
		t.Fatal(err)
	}
	list.Keys("m")
	if n, ok := list.Last().(screen.Notice); !ok || n.Bad || n.Text != "team-memory: 31 versions there, 1 is new here" {
		t.Fatalf("%+v", list.Last())
	}
	all, err := home.Stores(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if s, err := home.open(t.Context(), all[0].ID); err != nil { // as if opened before
		t.Fatal(err)
	} else if es, err := history.Tree(t.Context(), s); err != nil || len(es) != 29 {
		t.Errorf("%d memories, %v", len(es), err)
	}

	list.Keys("D")
	ask, ok := list.Last().(screen.Choose)
	if !ok {
		t.Fatalf("%+v", list.Last())
	}
	list.Run(ask.Options[0].Then())
	if n, ok := list.Last().(screen.Notice); !ok || n.Bad || !strings.HasPrefix(n.Text, "disconnected team-memory: 31 versions are deleted here, the service keeps the store") {
		t.Errorf("%+v", list.Last())
	}
	if all, err := home.Stores(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if last, err := there.LastChange(t.Context()); err != nil || last != 31 {
		t.Errorf("the service has %d changes, %v", last, err)
	}
	at.Keys("g r")
	at.Hides("connected as")
}

// A store is created at the service from the TUI, with the typed name and description; a
// name that the service refuses can be edited.
func TestScreens_CreateAStoreAtAService(t *testing.T) {
	service, _, home := served(t, 0)
	env := screentest.Env(t.Context())
	at := screentest.New(t, env, stores.NewConnect(env, home, "", false), 120, 30)
	at.Keys("s")
	at.Answer(service.URL)
	at.Keys("n")
	at.Answer(strings.Repeat("a name that is too long ", 40))
	at.Answer("how we deploy")
	if n, ok := at.Last().(screen.Notice); !ok || !n.Bad || !strings.Contains(n.Text, ": the service refuses it: ") || at.Left {
		t.Fatalf("%+v", at.Last())
	}
	at.Keys("n")
	if p, ok := at.Last().(screen.Prompt); !ok || !strings.HasPrefix(p.Value, "a name that is too long") {
		t.Fatalf("%+v", at.Last())
	}
	at.Answer("Deploy notes")
	if p, ok := at.Last().(screen.Prompt); !ok || p.Value != "how we deploy" {
		t.Fatalf("%+v", at.Last())
	}
	at.Answer("how we deploy")
	if n, ok := at.Last().(screen.Notice); !ok || n.Bad || n.Text != "made Deploy notes at the service, connected as deploy-notes · Enter opens it" || !at.Left {
		t.Fatalf("%+v", at.Last())
	}
	there, err := home.Service(t.Context(), service.URL)
	if err != nil || len(there.Stores) != 2 {
		t.Fatalf("%+v, %v", there, err)
	}
	if o := there.Stores[0]; o.Name != "Deploy notes" || o.Description != "how we deploy" || o.Here.Name != "deploy-notes" {
		t.Errorf("%+v", o)
	}
}

func TestSyncStates_IncludeTroubleOfOpenStores(t *testing.T) {
	service, _, home := served(t, 1)
	url := service.URL
	offers, err := home.Service(t.Context(), url)
	if err != nil || len(offers.Stores) != 1 {
		t.Fatalf("%+v, %v", offers, err)
	}
	info, _, err := home.ConnectStore(t.Context(), url, offers.Stores[0].HostedStore)
	if err != nil {
		t.Fatal(err)
	}
	s, err := home.open(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MEMEND_API_KEY", "secret")
	st, err := home.SyncStates(t.Context())
	if err != nil || st[info.ID].Trouble != "" || st[info.ID].Seen.IsZero() || st[info.ID].Service.Key != "MEMEND_API_KEY" || st[info.ID].Service.Own {
		t.Errorf("%+v, %v", st, err)
	}
	service.Close()
	if _, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err == nil {
		t.Fatal("it still answers")
	}
	if st, err = home.SyncStates(t.Context()); err != nil || st[info.ID].Trouble != versions.Offline {
		t.Errorf("%+v, %v", st, err)
	}
}

// A store can be connected by its id too. If the service fails in the middle, the replica
// stays, and the error says how to go on.
func TestConnect_InterruptedSaysHowToContinue(t *testing.T) {
	service, there, home := served(t, 3)
	at, err := hosted.New(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	cut := func(r *http.Request) {
		if strings.Contains(r.URL.Path, "memory_versions") {
			panic(http.ErrAbortHandler)
		}
	}
	service.Config.Handler.(*between).before.Store(&cut)
	out := &strings.Builder{}
	p := &caller{console: console{out: bufio.NewWriter(out), err: io.Discard, now: time.Now}, by: tester}
	err = connectStore(t.Context(), p, home.Trail, at, string(there.Info().ID), connection{})
	if err == nil || !strings.HasPrefix(err.Error(), "store team-memory is connected, but not all of it is here yet: ") || hint(err) != "`memend stores mirror team-memory` continues where this ended" {
		t.Errorf("%v, hint %q", err, hint(err))
	}
	service.Config.Handler.(*between).before.Store(nil)
	info, err := home.FindStore(t.Context(), "team-memory")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := mirrorStore(t.Context(), &p.console, home.Trail, info); err != nil || got.Versions != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := connectStore(t.Context(), p, home.Trail, at, "memstore_nosuch", connection{}); !errors.Is(err, versions.ErrNoStore) || !strings.Contains(hint(err), "lists the stores there") {
		t.Errorf("%v, hint %q", err, hint(err))
	}
}

// An invalid URL is still shown as the name of the service.
func TestService_InvalidIsNamed(t *testing.T) {
	_, _, home := served(t, 0)
	if s, err := home.Service(t.Context(), "ftp://nowhere"); err == nil || s.URL != "ftp://nowhere" {
		t.Errorf("%+v, %v", s, err)
	}
	for what, err := range map[string]error{
		"make":    second(home.MakeHosted(t.Context(), "ftp://nowhere", "x", "")),
		"connect": third(home.ConnectStore(t.Context(), "ftp://nowhere", versions.HostedStore{ID: "memstore_x"})),
	} {
		if !errors.Is(err, versions.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[A any](_ A, err error) error        { return err }
func third[A, B any](_ A, _ B, err error) error { return err }

func pathAt(t *testing.T, s string) memfs.Path {
	t.Helper()
	p, err := memfs.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// After an interrupted operation, what was and was not done is listed, for people and for
// programs.
func TestPartly_ListsDoneAndNotDone(t *testing.T) {
	t.Parallel()
	e := &versions.PartlyError{Done: []memfs.Path{pathAt(t, "/a.md")}, Left: []memfs.Path{pathAt(t, "/b.md")}, Change: 7}
	out := &strings.Builder{}
	p := newProgram(console{out: bufio.NewWriter(out), err: io.Discard, now: time.Now})
	p.terminal = true
	reportPartly(&p.console, e)
	p.json = true
	reportPartly(&p.console, e)
	_ = p.out.Flush()
	lines := strings.Split(out.String(), "\n")
	if !slices.Equal(lines[:1], []string{"  done        /memories/a.md"}) || lines[1] != "  not done    /memories/b.md" ||
		!strings.HasPrefix(lines[2], `{"change":7,"done":["/memories/a.md"],"not_done":["/memories/b.md"]}`) {
		t.Errorf("%q", lines)
	}
}

// The demo looks neither for memories on the machine nor at a service.
func TestDemo_ShowsNothingOfThePersonsOwn(t *testing.T) {
	service, _, home := served(t, 1)
	home.demo = true
	if found, err := home.Discover(t.Context()); err != nil || len(found.Places) > 0 || !slices.Contains(found.Problems, errDemo) {
		t.Errorf("%+v, %v", found, err)
	}
	if at, err := home.Service(t.Context(), service.URL); !errors.Is(err, errDemo) || len(at.Stores) > 0 {
		t.Errorf("%+v, %v", at, err)
	}
}
