package stores

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

// fakeService returns the list of a test, and connects stores unless they are set to fail.
type fakeService struct {
	Hoster
	has       Service
	err       error
	asked     []string // URLs
	connected []string // ids
	mirrored  []versions.StoreID
	fails     map[string]error // by the service's id
	partly    bool             // a store that fails is connected nevertheless
	got       versions.Pulled
	created   []string // URL, name and description of each created store
	createErr error    // error of creating one
}

func (f *fakeService) Service(_ context.Context, url string) (Service, error) {
	f.asked = append(f.asked, url)
	s := f.has
	if url != "" {
		s.URL = url
	}
	if f.err != nil {
		s.Stores = nil
	}
	s.Stores = slices.Clone(s.Stores)
	return s, f.err
}

func (f *fakeService) MakeHosted(_ context.Context, url, name, description string) (versions.HostedStore, error) {
	f.created = append(f.created, url+"|"+name+"|"+description)
	if f.createErr != nil {
		return versions.HostedStore{}, f.createErr
	}
	s := versions.HostedStore{ID: fmt.Sprintf("made_%d", len(f.created)), Name: name, Description: description}
	f.has.Stores = append([]versions.Offer{{HostedStore: s}}, f.has.Stores...)
	return s, nil
}

func (f *fakeService) ConnectStore(_ context.Context, _ string, about versions.HostedStore) (versions.StoreInfo, versions.Pulled, error) {
	info := versions.StoreInfo{ID: versions.StoreID("here_" + about.ID), Name: strings.ToLower(about.Name)}
	err := f.fails[about.ID]
	if err != nil && !f.partly {
		return versions.StoreInfo{}, versions.Pulled{}, err
	}
	f.connected = append(f.connected, about.ID)
	for i := range f.has.Stores {
		if f.has.Stores[i].ID == about.ID {
			f.has.Stores[i].Here = info
		}
	}
	return info, f.got, err
}

func (f *fakeService) MirrorStore(_ context.Context, id versions.StoreID) (versions.Pulled, error) {
	f.mirrored = append(f.mirrored, id)
	return f.got, f.err
}

// someOffers is a service with one store in each state.
func someOffers() Service {
	return Service{URL: "https://api.example.com", Own: true, Key: "ANTHROPIC_API_KEY", Stores: []versions.Offer{
		{HostedStore: versions.HostedStore{ID: "memstore_a", Name: "Team", Description: "what the team has learned", Created: clock.Add(-time.Hour), Metadata: map[string]string{"team": "core"}}},
		{HostedStore: versions.HostedStore{ID: "memstore_b", Name: "Old", Created: clock.Add(-100 * 24 * time.Hour), Archived: clock}},
		{HostedStore: versions.HostedStore{ID: "memstore_c", Name: "User Preferences", Created: clock.Add(-49 * time.Hour)}, Here: versions.StoreInfo{ID: "here_c", Name: "prefs"}},
		{HostedStore: versions.HostedStore{ID: "memstore_d", Name: strings.Repeat("a long name ", 12), Created: clock}},
	}}
}

func connecting(t *testing.T, f *fakeService, w, h int) *screentest.Sim[*Connect] {
	t.Helper()
	env := screentest.Env(t.Context())
	s := screentest.New(t, env, NewConnect(env, f, "memstore_9", false), w, h)
	s.Pane.SetNow(clock)
	return s
}

func TestConnect_ConnectsTheStoreUnderTheCursor(t *testing.T) {
	f := &fakeService{has: someOffers(), got: versions.Pulled{Versions: 120}}
	s := connecting(t, f, 120, 30)
	s.Run(s.Pane.Start())
	s.Shows("https://api.example.com · credentials from ANTHROPIC_API_KEY", "User Preferences (connected as prefs)", "Old (archived)", "Enter brings its whole history here")
	s.Keys("enter")
	if !slices.Equal(f.connected, []string{"memstore_a"}) || !s.Left {
		t.Errorf("%q, left %v", f.connected, s.Left)
	}
	if n, ok := s.Last().(screen.Notice); !ok || n.Bad || n.Text != "connected Team as team: 120 versions · Enter opens it" {
		t.Errorf("%+v", s.Last())
	}
	s.Keys("j enter")
	if o, ok := s.Last().(screen.OpenStore); !ok || o.ID != "here_c" || o.Name != "prefs" {
		t.Errorf("Enter on a replica: %+v", s.Last())
	}
	s.Pane.open, s.Sent = "here_c", nil
	s.Keys("enter")
	if want := []tea.Msg{screen.Back{}, screen.Back{}}; !slices.Equal(s.Sent, want) {
		t.Errorf("Enter on the store that is shown: %+v", s.Sent)
	}
}

func TestConnect_ConnectsSelectedStoresOneByOne(t *testing.T) {
	f := &fakeService{has: someOffers(), got: versions.Pulled{Skipped: []versions.Skipped{{Path: "/a//b", Err: errors.New("no path")}}}}
	s := connecting(t, f, 100, 24)
	s.Run(s.Pane.Start())
	s.Keys("ctrl+a")
	if _, info := s.Pane.Title(); info != "4 · 2 chosen" {
		t.Errorf("all that is worth it: %q", info)
	}
	s.Keys("ctrl+a G space") // choose none; then the archived one
	s.Keys("g g space")
	var doing []string
	work := func(msg tea.Msg) {
		if w, ok := msg.(screen.Work); ok {
			doing = append(doing, w.Doing)
			if !w.Keeps {
				t.Error("what was brought before Esc is not told")
			}
		}
	}
	cmd, _ := s.Pane.Press([]string{"enter"}, 0)
	for range 2 {
		req, ok := s.Pane.env.Out.Next()
		if !ok {
			t.Fatal("no work is asked for")
		}
		work(req)
		s.Shows("connecting")
		msg, _ := req.(screen.Work).Do(t.Context())
		cmd = msg.(screen.Reply).Take()
	}
	s.Run(cmd)
	if want := []string{"connect Team (1 of 2)", "connect Old (2 of 2)"}; !slices.Equal(doing, want) || !s.Left {
		t.Errorf("%q, left %v", doing, s.Left)
	}
	if n, ok := s.Last().(screen.Notice); !ok || !n.Bad || !strings.HasPrefix(n.Text, "connected 2 stores · Enter opens one · 1 memory is left out: /a//b: no path") {
		t.Errorf("%+v", s.Last())
	}
}

func TestConnect_StopsAtAnErrorAndCanContinue(t *testing.T) {
	f := &fakeService{has: someOffers(), partly: true, fails: map[string]error{"memstore_a": context.Canceled}}
	s := connecting(t, f, 100, 30)
	s.Run(s.Pane.Start())
	s.Keys("ctrl+a enter")
	if n, ok := s.Last().(screen.Notice); !ok || n.Bad || n.Text != "stopped: what was fetched of Team is kept · Enter continues" || s.Left {
		t.Errorf("%+v", s.Last())
	}
	s.Shows("Team (partly here)", "but incomplete: Enter continues", "2 chosen")
	if !slices.Equal(f.connected, []string{"memstore_a"}) {
		t.Errorf("it goes on with the others: %q", f.connected)
	}
	s.Keys("g r enter") // still works after another request
	if !slices.Equal(f.mirrored, []versions.StoreID{"here_memstore_a"}) || !slices.Equal(f.connected, []string{"memstore_a", "memstore_d"}) || !s.Left {
		t.Errorf("%q, %q", f.mirrored, f.connected)
	}
	if n, ok := s.Last().(screen.Notice); !ok || n.Text != "connected 2 stores · Enter opens one" {
		t.Errorf("%+v", s.Last())
	}

	f.has, f.partly, f.fails = someOffers(), false, map[string]error{"memstore_a": &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route")}}
	s = connecting(t, f, 100, 30)
	s.Run(s.Pane.Start())
	s.Keys("space g g enter")
	if n, ok := s.Last().(screen.Notice); !ok || !n.Bad || n.Text != "connect Team: the service is out of reach: no route" || s.Left {
		t.Errorf("%+v", s.Last())
	}
	s.Shows("! connect Team: the service is out of reach: no route", "Enter tries again", "1 chosen")
	f.fails = nil
	s.Keys("enter")
	if !s.Left {
		t.Error("it can't be tried again")
	}
	f.has, f.fails = someOffers(), map[string]error{"memstore_a": context.Canceled}
	s = connecting(t, f, 100, 30)
	s.Run(s.Pane.Start())
	s.Keys("enter")
	if n, ok := s.Last().(screen.Notice); !ok || n.Text != "stopped: Team is not connected · Enter tries again" {
		t.Errorf("%+v", s.Last())
	}
}

func TestConnect_ShowsProblemsOfTheService(t *testing.T) {
	trouble := func(t versions.Trouble, err error) error {
		return &versions.UpstreamError{Trouble: t, Until: time.Date(2026, 3, 14, 9, 1, 30, 0, time.Local), Err: err}
	}
	no := errors.New("invalid key (401)")
	for _, c := range []struct {
		err      error
		key      string
		own      bool
		want     []string
		unwanted string
	}{
		{trouble(versions.Offline, errors.New("no route to host")), "K", true, []string{"out of reach: no route to host", "gr asks again · s names another"}, "shell"},
		{trouble(versions.RateLimited, nil), "K", true, []string{"rate limited", "retry at 09:01:30"}, "shell"},
		{trouble(versions.InvalidResponse, errors.New("it answers <html>")), "K", true, []string{"invalid response from the service: it answers <html>", "the URL of a memory-stores API"}, "shell"},
		{trouble(versions.Unauthorized, no), "", true, []string{"no credentials found", "set ANTHROPIC_API_KEY (or", "in the shell that starts memend", "none is typed here"}, "asks again"},
		{trouble(versions.Unauthorized, no), "ANTHROPIC_AUTH_TOKEN", true, []string{"rejects the credentials in ANTHROPIC_AUTH_TOKEN: invalid key (401)", "set it again in the shell"}, "asks again"},
		{trouble(versions.Unauthorized, no), "", false, []string{"requires credentials: invalid key (401)", "set MEMEND_API_KEY in the shell"}, "ANTHROPIC"},
		{errors.New("not the URL of a service"), "", false, []string{"! not the URL of a service", "s names another service"}, "shell"},
	} {
		f := &fakeService{has: Service{URL: "https://x.example", Own: c.own, Key: c.key}, err: c.err}
		s := connecting(t, f, 140, 24)
		s.Run(s.Pane.Start())
		s.Shows(c.want...)
		s.Hides(c.unwanted)
		f.err, f.has = nil, someOffers()
		s.Keys("g r")
		s.Shows("User Preferences")
		s.Hides(c.want[0])
		f.err = c.err // the old list is kept
		s.Keys("g r")
		s.Shows("User Preferences")
		if strings.Contains(s.Screen(), "no credentials found") {
			continue
		}
		s.Shows("! ")
	}
}

func TestConnect_CanListAnotherService(t *testing.T) {
	f := &fakeService{has: someOffers()}
	s := connecting(t, f, 100, 24)
	s.Run(s.Pane.Start())
	s.Keys("space s")
	if p, ok := s.Last().(screen.Prompt); !ok || p.Value != "" { // the SDK's own: the example is shown
		t.Fatalf("%+v", s.Last())
	}
	f.has.Own, f.has.Key = false, ""
	s.Answer(" http://127.0.0.1:4000 ")
	if !slices.Equal(f.asked, []string{"", "http://127.0.0.1:4000"}) || len(s.Pane.chosen) != 0 {
		t.Errorf("%q, %v", f.asked, s.Pane.chosen)
	}
	s.Shows("http://127.0.0.1:4000 · no credentials")
	s.Keys("s")
	if p, ok := s.Last().(screen.Prompt); !ok || p.Value != "http://127.0.0.1:4000" {
		t.Fatalf("%+v", s.Last())
	}
	late := s.Pane.Start()
	s.Keys("g r")
	f.err = errors.New("late")
	s.Run(late)
	s.Hides("late")
}

func TestConnect_FiltersHundredsOfStores(t *testing.T) {
	f := &fakeService{has: someOffers()}
	for n := range 900 {
		f.has.Stores = append(f.has.Stores, versions.Offer{HostedStore: versions.HostedStore{ID: fmt.Sprintf("memstore_%d", n), Name: fmt.Sprintf("project %d", n)}})
	}
	s := connecting(t, f, 100, 24)
	s.Run(s.Pane.Start())
	s.Keys("G")
	s.Shows("Old (archived)")
	s.Keys("/")
	s.Typed("project 77")
	s.Shows("18 of 904")
	s.Keys("enter ctrl+a")
	s.Shows("18 chosen")
	s.Keys("esc")
	s.Shows("904 · 18 chosen")
	s.Keys("esc esc")
	if !s.Left || len(s.Pane.chosen) != 0 {
		t.Error("Esc does not choose nothing first, and leave then")
	}
	s.Keys("/ z z z")
	s.Shows("no store matches")
	s.Keys("esc")
	f.has.Stores = nil
	s.Keys("g r")
	s.Shows("the service has no stores")
}

func TestConnect_ShowsWhyActionsAreDisabled(t *testing.T) {
	f := &fakeService{has: someOffers()}
	s := connecting(t, f, 100, 24)
	s.Refuses("enter", "no store is listed")
	s.Refuses("ctrl+a", "no store that could")
	s.Run(s.Pane.Start())
	s.Keys("j")
	s.Refuses("space", "connected already, as prefs")
	s.Keys("k")
	s.Pane.queue = []versions.Offer{{HostedStore: versions.HostedStore{ID: "memstore_a"}}}
	for _, k := range []string{"enter", "space", "ctrl+a", "g r", "s"} {
		s.Refuses(k, "being connected: Esc stops it")
	}
	s.Pane.queue, s.Pane.readOnly = nil, true
	for _, k := range []string{"enter", "space", "ctrl+a"} {
		s.Refuses(k, "read-only")
	}
	s.Keys("j enter") // a connected store can be opened
	if _, ok := s.Last().(screen.OpenStore); !ok {
		t.Errorf("%+v", s.Last())
	}
}

func TestConnect_ClickSelectsARowAndThenChoosesIt(t *testing.T) {
	s := connecting(t, &fakeService{has: someOffers()}, 100, 24)
	s.Run(s.Pane.Start())
	click := func(y int) { s.Run(s.Pane.Update(tea.MouseClickMsg{X: 5, Y: y, Button: tea.MouseLeft})) }
	click(4)
	click(4)
	if s.Pane.Cur != 2 || len(s.Pane.chosen) != 1 {
		t.Errorf("%d, %v", s.Pane.Cur, s.Pane.chosen)
	}
	click(3)
	click(3) // connected already
	click(0)
	click(23)
	if len(s.Pane.chosen) != 1 || s.Pane.Cur != 1 {
		t.Errorf("%d, %v", s.Pane.Cur, s.Pane.chosen)
	}
}

func TestConnectFrames_MatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 34}, {80, 22}, {40, 10}} {
		name := func(what string) string { return fmt.Sprintf("connect-%s-%dx%d", what, size.w, size.h) }
		f := &fakeService{has: Service{URL: "https://api.example.com", Own: true}, err: &versions.UpstreamError{Trouble: versions.Unauthorized}}
		s := connecting(t, f, size.w, size.h)
		load := s.Pane.Start()
		drawtest.Golden(t, *update, name("asking"), s.Pane.View())
		s.Run(load)
		drawtest.Golden(t, *update, name("no-entry"), s.Pane.View())
		f.has, f.err = someOffers(), nil
		f.partly, f.fails = true, map[string]error{"memstore_a": &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route to host")}}
		s.Keys("g r")
		drawtest.Golden(t, *update, name("offers"), s.Pane.View())
		s.Keys("ctrl+a enter")
		drawtest.Golden(t, *update, name("failed"), s.Pane.View())
	}
}

func TestConnectGeometry_FitsEverySize(t *testing.T) {
	for _, hostile := range []string{"", "a\x1b[31m\u202e中文中文中文中文\u009b\x07\n", strings.Repeat("中\x1b[2J\u2066", 80)} {
		f := &fakeService{has: someOffers(), partly: true, fails: map[string]error{"memstore_a": errors.New("no" + hostile)}}
		if hostile != "" {
			f.has.URL, f.has.Key = hostile, hostile
			for i := range f.has.Stores {
				o := &f.has.Stores[i]
				o.Name, o.Description, o.Metadata, o.Here.Name = hostile, hostile, map[string]string{hostile: hostile}, hostile
			}
			f.has.Stores[1].ID = hostile
		}
		s := connecting(t, f, 80, 24)
		for _, k := range []string{"", "j", "space", "G", "/", "m", "esc", "g g enter", "ctrl+a"} {
			if k == "m" {
				s.Typed("m")
			} else {
				s.Keys(k)
			}
			s.FitsEverySize()
			if k == "" {
				s.Run(s.Pane.Start())
			}
		}
		f.err = errors.New(strings.Repeat("gone "+hostile, 30))
		s = connecting(t, f, 80, 24)
		s.Run(s.Pane.Start())
		s.FitsEverySize()
	}
}

// The environment may name another service the next time: nothing of the former one is chosen there.
func TestConnect_ChoosesNothingOfAnotherService(t *testing.T) {
	f := &fakeService{has: someOffers()}
	s := connecting(t, f, 120, 30)
	s.Run(s.Pane.Start())
	s.Keys("space")
	f.has, f.err = Service{URL: "https://other.example.com"}, errors.New("no answer")
	s.Keys("g r")
	s.Refuses("enter", "no store is listed")
}
