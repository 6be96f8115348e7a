package stores

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

// hostedHome is a fake home with hosted stores.
type hostedHome struct {
	fakeHome
	syncStates map[versions.StoreID]SyncState
	mirror     func(versions.StoreID) (versions.Pulled, error)
	gone       []versions.StoreID
	receipt    versions.Receipt
	err        error
	listErr    error
}

func (h *hostedHome) Stores(ctx context.Context) ([]versions.StoreInfo, error) {
	if h.listErr != nil {
		return nil, h.listErr
	}
	return h.fakeHome.Stores(ctx)
}

func (h *hostedHome) SyncStates(context.Context) (map[versions.StoreID]SyncState, error) {
	return h.syncStates, nil
}
func (h *hostedHome) MirrorStore(_ context.Context, id versions.StoreID) (versions.Pulled, error) {
	return h.mirror(id)
}
func (h *hostedHome) DisconnectStore(_ context.Context, id versions.StoreID) (versions.Receipt, error) {
	h.gone = append(h.gone, id)
	return h.receipt, h.err
}

func withHosted() *hostedHome {
	h := &hostedHome{fakeHome: home(false), syncStates: map[versions.StoreID]SyncState{}}
	at := versions.Remote{URL: "https://api.example.com", Store: "memstore_there"}
	for i, c := range []struct {
		name    string
		trouble versions.Trouble
		seen    time.Duration
	}{{"prefs", "", 3 * time.Minute}, {"team-memory", versions.Offline, 2 * time.Hour}, {"research", versions.Unauthorized, -1}, {"support", versions.RateLimited, time.Minute}, {"ended", versions.Gone, 30 * 24 * time.Hour}} {
		info := versions.StoreInfo{ID: versions.StoreID(fmt.Sprintf("memstore_h%d", i)), Name: c.name, Title: strings.ToUpper(c.name), Upstream: at, Created: clock}
		if c.name == "ended" {
			info.Archived = clock
		}
		h.all = append(h.all, info)
		st := SyncState{Trouble: c.trouble, Service: Service{URL: at.URL}}
		if c.seen >= 0 {
			st.Seen = clock.Add(-c.seen)
		}
		h.syncStates[info.ID] = st
		h.sizes[info.ID] = versions.StoreSize{Memories: 10, Bytes: 1000, Changes: 42, Changed: clock}
	}
	return h
}

func listed(t *testing.T, h *hostedHome, w, rows int) *sim {
	env := screentest.Env(t.Context())
	s := &sim{screentest.New(t, env, New(env, h, "memstore_2", false), w, rows), nil}
	s.Pane.SetNow(clock)
	s.Run(s.Pane.Start())
	return s
}

func TestList_ShowsTheSyncStateOfHostedStores(t *testing.T) {
	s := listed(t, withHosted(), 100, 30)
	s.Shows("team-memory (offline)", "research (unauthorized)", "support (rate limited)", "ended (deleted there, …", "https://api.example.com")
	for name, want := range map[string]string{
		"prefs": "as its service had it 3m ago", "team-memory": "! offline · as its service had it 2h ago",
		"research": "! unauthorized · never read from there yet: m brings all", "ended": "! deleted there · as its service had it",
	} {
		s.on(name)
		s.Shows(want, "hosted at https://api.example.com as "+strings.ToUpper(name))
	}
}

// The list says why the machine of a store can't be reached, until it can.
func TestList_ShowsWhyAServiceIsOutOfReach(t *testing.T) {
	h := withHosted()
	for id, st := range h.syncStates {
		if st.Trouble == versions.Offline {
			st.Why = &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route to host")}
			h.syncStates[id] = st
		}
	}
	h.mirror = func(versions.StoreID) (versions.Pulled, error) { return versions.Pulled{}, nil }
	s := listed(t, h, 100, 30)
	s.on("team-memory")
	s.Shows("no route to host · check that it runs, and check the network")
	s.Keys("m")
	s.Hides("no route")
}

// A redaction that a service has not finished is shown next to its store's name.
func TestList_ShowsPendingRedactionsOfAService(t *testing.T) {
	h := withHosted()
	const text = "its service has not erased 2 redacted versions yet"
	s := listed(t, h, 100, 30)
	s.on("prefs")
	s.Hides("redacting", text)
	h.all[slices.IndexFunc(h.all, func(s versions.StoreInfo) bool { return s.Name == "prefs" })].LeftUpstream = 2
	s = listed(t, h, 100, 30)
	s.on("prefs")
	s.Shows("redacting", text)
}

func TestMirror_ReportsItsResult(t *testing.T) {
	h := withHosted()
	s := listed(t, h, 100, 30)
	said := func(want string, bad bool) {
		t.Helper()
		if n, ok := s.Last().(screen.Notice); !ok || n.Text != want || n.Bad != bad {
			t.Errorf("%+v", s.Last())
		}
	}
	h.mirror = func(id versions.StoreID) (versions.Pulled, error) {
		return versions.Pulled{Listed: 900, Versions: 12, Redacted: 1}, nil
	}
	s.on("team-memory").Keys("m")
	said("team-memory: 900 versions there, 12 are new here · 1 version was erased there and here", false)
	s.Hides("(offline)") // it has answered
	h.mirror = func(versions.StoreID) (versions.Pulled, error) {
		return versions.Pulled{Skipped: []versions.Skipped{{Path: "/x", Err: errors.New("too long")}}}, nil
	}
	s.Keys("m")
	said("team-memory: 0 versions there, 0 are new here · 1 memory is left out: /x: too long", true)
	for err, want := range map[error]string{
		&versions.UpstreamError{Trouble: versions.Unauthorized, Err: errors.New("no (401)")}: "mirror prefs: the service requires credentials: no (401) · set MEMEND_API_KEY in the shell that starts memend, and start it again",
		fmt.Errorf("%w: %w", versions.ErrGoneUpstream, versions.ErrNoStore):                  "mirror prefs: the store was deleted at its service · what is here can still be read and exported",
	} {
		h.mirror = func(versions.StoreID) (versions.Pulled, error) { return versions.Pulled{}, err }
		s.on("prefs").Keys("m")
		said(want, true)
	}
	h.mirror = func(versions.StoreID) (versions.Pulled, error) { return versions.Pulled{}, context.Canceled }
	s.on("support").Keys("m")
	said("stopped: what was fetched of support is kept · m continues", false)
	s.Shows("support (rate limited)") // a cancelled request changes nothing
}

func TestDisconnect_AsksAndSaysWhatIsKept(t *testing.T) {
	h := withHosted()
	s := listed(t, h, 100, 30)
	s.on("ended").Keys("D") // an archived one too
	ask, ok := s.Last().(screen.Choose)
	if !ok || ask.Title != "disconnect ended" || ask.Options[len(ask.Options)-1].Then != nil {
		t.Fatalf("%+v", s.Last())
	}
	for _, want := range []string{"The service keeps the store", "Deleted here: its folder and its trail of 42 changes", "versions that the service has dropped", "and not sent"} {
		if !strings.Contains(ask.Text, want) {
			t.Errorf("it does not say %q: %s", want, ask.Text)
		}
	}
	if len(h.gone) > 0 {
		t.Fatal("it did not wait for the answer")
	}
	h.receipt = versions.Receipt{ID: 1, Versions: 42, Outcome: versions.OutcomePending}
	s.Run(ask.Options[0].Then())
	if len(h.gone) != 1 || h.gone[0] != "memstore_h4" {
		t.Errorf("%q", h.gone)
	}
	if n, ok := s.Last().(screen.Notice); !ok || n.Bad || !strings.Contains(n.Text, "disconnected ended: 42 versions are deleted here, the service keeps the store · the redaction finishes once") {
		t.Errorf("%+v", s.Last())
	}
	h.receipt, h.err = versions.Receipt{}, errors.New("the disk is full")
	s.Run(ask.Options[0].Then())
	if n, ok := s.Last().(screen.Notice); !ok || !n.Bad || n.Text != "disconnect ended: the disk is full" {
		t.Errorf("%+v", s.Last())
	}
}

func TestHosted_ShowsWhyActionsAreDisabled(t *testing.T) {
	h := withHosted()
	s := listed(t, h, 100, 30)
	s.on("assistant")
	s.Refuses("m", "kept here, by no service")
	s.Refuses("D", "kept here, by no service")
	s.on("prefs")
	s.Pane.open = "memstore_h0"
	s.Refuses("D", "the store that is shown: open another one first")
	s.Pane.readOnly = true
	s.Refuses("m", "read-only")
}

func TestList_ShowsConnectedStores(t *testing.T) {
	h := withHosted()
	s := listed(t, h, 100, 30)
	s.Keys("c")
	show, ok := s.Last().(screen.Show)
	if !ok {
		t.Fatalf("%+v", s.Last())
	}
	c := show.Pane.(*Connect)
	s.Run(c.showOutcome(outcome{info: versions.StoreInfo{ID: "memstore_h3"}, err: &versions.UpstreamError{Trouble: versions.Offline}}))
	if s.Pane.current().ID != "memstore_h3" {
		t.Errorf("the cursor is on %s", s.Pane.current().Name)
	}
	s.Shows("support (offline)")
}

func TestHostedFrames_MatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 34}, {80, 22}, {40, 10}} {
		s := listed(t, withHosted(), size.w, size.h)
		s.on("team-memory")
		drawtest.Golden(t, *update, fmt.Sprintf("hosted-%dx%d", size.w, size.h), s.Pane.View())
	}
}

func TestHostedGeometry_FitsEverySize(t *testing.T) {
	h := withHosted()
	hostile := "a\x1b[31m\u202e中文中文中文中文\u009b\x07"
	h.all[3].Name, h.all[3].Title, h.all[3].Upstream.URL = hostile, hostile, hostile
	s := listed(t, h, 80, 24)
	s.on(hostile).FitsEverySize()
	s.on("ended").FitsEverySize()
}

// What the last request from the list found counts until the service answers somebody.
func TestList_ForgetsATroubleThatIsOver(t *testing.T) {
	h := withHosted()
	s := listed(t, h, 100, 30)
	h.mirror = func(versions.StoreID) (versions.Pulled, error) {
		return versions.Pulled{}, &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route")}
	}
	s.on("prefs").Keys("m")
	s.Shows("prefs (offline)")
	s.Run(s.Pane.Look())
	s.Shows("prefs (offline)")
	st := h.syncStates["memstore_h0"]
	st.Seen = clock.Add(time.Minute)
	h.syncStates = maps.Clone(h.syncStates)
	h.syncStates["memstore_h0"] = st
	s.Run(s.Pane.Look())
	s.Hides("prefs (offline)")
}

// A list that can't be read again stays, and says so.
func TestList_SaysThatItCouldNotBeReadAgain(t *testing.T) {
	h := withHosted()
	s := listed(t, h, 100, 30)
	h.listErr = errors.New("the disk is gone")
	s.Run(s.Pane.Look())
	s.Shows("the disk is gone", "prefs")
	h.listErr = nil
	s.Run(s.Pane.Look())
	s.Hides("the disk is gone")
}
