package stores

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

// asks answers both prompts for a new store.
func asks(s *screentest.Sim[*Connect], name, about string) {
	s.T.Helper()
	s.Keys("n")
	s.Answer(name)
	s.Answer(about)
}

// offered returns the last prompt.
func offered(t *testing.T, s *screentest.Sim[*Connect]) screen.Prompt {
	t.Helper()
	p, ok := s.Last().(screen.Prompt)
	if !ok {
		t.Fatalf("no prompt was asked for, but %+v", s.Last())
	}
	return p
}

func TestMake_CreatesAStoreAtTheServiceAndConnectsIt(t *testing.T) {
	f := &fakeService{has: someOffers()}
	s := connecting(t, f, 120, 30)
	s.Run(s.Pane.Start())
	asks(s, " Deploy notes ", " how we deploy ")
	if want := []string{"https://api.example.com|Deploy notes|how we deploy"}; !slices.Equal(f.created, want) {
		t.Errorf("made %q, want %q", f.created, want)
	}
	if !slices.Equal(f.connected, []string{"made_1"}) || !s.Left {
		t.Errorf("connected %q, left %v", f.connected, s.Left)
	}
	if n, ok := s.Last().(screen.Notice); !ok || n.Bad || n.Text != "made Deploy notes at the service, connected as deploy notes · Enter opens it" {
		t.Errorf("%+v", s.Last())
	}
	if o := s.Pane.current(); o.Name != "Deploy notes" || o.Here.ID != "here_made_1" {
		t.Errorf("the cursor is on %+v", o)
	}
	s.Keys("n")
	if p := offered(t, s); p.Value != "" {
		t.Errorf("%q is what was made already", p.Value)
	}
}

func TestMake_NeedsAName(t *testing.T) {
	f := &fakeService{has: someOffers()}
	s := connecting(t, f, 120, 30)
	s.Run(s.Pane.Start())
	s.Keys("n")
	s.Answer("  ")
	if len(f.created) > 0 || len(s.Sent) != 1 {
		t.Errorf("%q, %+v", f.created, s.Sent)
	}
}

func TestMake_RefusedKeepsTheTypedText(t *testing.T) {
	unsure := &versions.UpstreamError{Trouble: versions.Offline, Unsure: true, Err: errors.New("Bad Gateway (502)")}
	for name, c := range map[string]struct {
		err     error
		notice  string
		note    []string
		nothing string // text that must not be visible
	}{
		"refused":          {&versions.HostedRefusal{Message: "there are too many stores (400)"}, "make Team 2: the service refuses it: there are too many stores (400)", []string{"n tries again"}, "may have been"},
		"no way there":     {&versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route")}, "make Team 2: the service is out of reach: no route", []string{"check that it runs", "n tries again"}, "may have been"},
		"no credentials":   {&versions.UpstreamError{Trouble: versions.Unauthorized, Err: errors.New("read only (403)")}, "make Team 2: the service rejects the credentials in ANTHROPIC_API_KEY: read only (403)", []string{"set it again", "n tries again"}, "may have been"},
		"nobody knows":     {unsure, "make Team 2: the service is out of reach: Bad Gateway (502); it may have been created anyway", []string{"gr reloads · n creates it again"}, "tries again"},
		"stopped":          {context.Canceled, "stopped: Team 2 was not created · n tries again", nil, "!"},
		"stopped too late": {&versions.UpstreamError{Trouble: versions.Offline, Unsure: true, Err: context.Canceled}, "stopped: Team 2 may have been created anyway · gr reloads · n creates it again", nil, "!"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeService{has: someOffers(), createErr: c.err}
			s := connecting(t, f, 140, 30)
			s.Run(s.Pane.Start())
			asks(s, "Team 2", "the second team")
			if n, ok := s.Last().(screen.Notice); !ok || n.Text != c.notice || n.Bad == errors.Is(c.err, context.Canceled) || s.Left {
				t.Fatalf("%+v", s.Last())
			}
			s.Shows(c.note...)
			s.Hides(c.nothing)
			if len(f.connected) > 0 || len(s.Pane.service.Stores) != 4 {
				t.Errorf("connected %q of %d", f.connected, len(s.Pane.service.Stores))
			}
			f.createErr = nil
			s.Keys("n")
			if p := offered(t, s); p.Value != "Team 2" {
				t.Errorf("the name that was typed is %q now", p.Value)
			}
			s.Answer("Team two")
			if p := offered(t, s); p.Value != "the second team" {
				t.Errorf("what it is for is %q now", p.Value)
			}
			s.Answer("the second team")
			if !s.Left || !slices.Equal(f.connected, []string{"made_2"}) || f.created[1] != "https://api.example.com|Team two|the second team" {
				t.Errorf("%q, connected %q", f.created, f.connected)
			}
			s.Hides("make Team 2")
		})
	}
}

// A store that was created but could not be connected is listed: it must not be created again.
func TestMake_NotConnectedIsListed(t *testing.T) {
	for _, partly := range []bool{false, true} {
		f := &fakeService{has: someOffers(), partly: partly, fails: map[string]error{"made_1": &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route")}}}
		s := connecting(t, f, 140, 30)
		s.Run(s.Pane.Start())
		s.Keys("G")
		asks(s, "Deploy notes", "")
		if n, ok := s.Last().(screen.Notice); !ok || !n.Bad || n.Text != "connect Deploy notes: the service is out of reach: no route" || s.Left {
			t.Fatalf("%+v", s.Last())
		}
		s.Shows("Deploy notes", "Enter tries again")
		s.Hides("n tries again", "n makes it again")
		if o := s.Pane.current(); o.ID != "made_1" {
			t.Errorf("the cursor is on %+v", o)
		}
		f.fails = nil
		s.Keys("enter")
		if !s.Left || len(f.created) != 1 {
			t.Errorf("left %v, made %q", s.Left, f.created)
		}
	}
}

func TestMake_KeepsTheSelection(t *testing.T) {
	f := &fakeService{has: someOffers()}
	s := connecting(t, f, 120, 30)
	s.Run(s.Pane.Start())
	s.Keys("space")
	asks(s, "Deploy notes", "")
	if n, ok := s.Last().(screen.Notice); !ok || n.Bad || n.Text != "made Deploy notes at the service, connected as deploy notes" || s.Left {
		t.Errorf("%+v", s.Last())
	}
	s.Shows("1 chosen", "Deploy notes (connected as deploy notes)")
	s.Keys("enter")
	if !slices.Equal(f.connected, []string{"made_1", "memstore_a"}) || !s.Left {
		t.Errorf("%q, left %v", f.connected, s.Left)
	}
}

func TestMake_ShowsWhyItIsDisabled(t *testing.T) {
	f := &fakeService{has: someOffers(), err: errors.New("no")}
	s := connecting(t, f, 120, 30)
	load := s.Pane.Start()
	s.Refuses("n", "the service is being asked")
	s.Run(load)
	s.Refuses("n", "the service has not answered: gr asks again")
	f.err = nil
	s.Keys("g r")
	s.Pane.queue = []versions.Offer{{}}
	for _, k := range []string{"n", "enter", "space", "ctrl+a", "g r", "s"} {
		s.Refuses(k, "a store is being made: Esc stops it")
	}
	s.Pane.queue, s.Pane.readOnly = nil, true
	s.Refuses("n", "read-only")
	f.has.Stores = nil
	s.Keys("g r")
	s.Shows("the service has no stores")
	s.Hides("n makes one")
	if len(f.created) > 0 {
		t.Errorf("%q", f.created)
	}
}

// The service may be requested again while the user types. Then nothing is sent, because it is
// unknown what the service has.
func TestMake_DoesNothingWhileARequestIsPending(t *testing.T) {
	f := &fakeService{has: someOffers()}
	s := connecting(t, f, 120, 30)
	s.Run(s.Pane.Start())
	s.Keys("n")
	s.Answer("Team 2")
	p := offered(t, s)
	s.Pane.Start()
	s.Run(p.Then(""))
	if len(f.created) > 0 || s.Pane.busy() != "" {
		t.Errorf("%q, %s", f.created, s.Pane.busy())
	}
}

func TestMake_TheListShowsTheErrorOfAClosedScreen(t *testing.T) {
	h := withHosted()
	list := listed(t, h, 100, 30)
	c := list.Pane.Connecting()
	c.wanted.Name = "Team 2"
	c.Close()
	list.Run(c.showOutcome(outcome{creating: true, err: &versions.HostedRefusal{Message: "no"}}))
	if n, ok := list.Last().(screen.Notice); !ok || !n.Bad || n.Text != "make Team 2: the service refuses it: no" {
		t.Errorf("%+v", list.Last())
	}
}

func TestMakeFrames_MatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 34}, {80, 22}, {40, 10}} {
		name := func(what string) string { return fmt.Sprintf("make-%s-%dx%d", what, size.w, size.h) }
		f := &fakeService{has: Service{URL: "https://api.example.com", Own: true}, createErr: &versions.UpstreamError{Trouble: versions.Offline, Unsure: true, Err: errors.New("Bad Gateway (502)")}}
		s := connecting(t, f, size.w, size.h)
		s.Run(s.Pane.Start())
		drawtest.Golden(t, *update, name("none-yet"), s.Pane.View())
		f.has = someOffers()
		s.Keys("g r")
		asks(s, "Deploy notes", "how we deploy")
		drawtest.Golden(t, *update, name("unsure"), s.Pane.View())
	}
}

func TestMakeGeometry_FitsEverySize(t *testing.T) {
	for _, hostile := range []string{"a\x1b[31m\u202e中文中文中文中文\u009b\x07\n", strings.Repeat("中\x1b[2J\u2066", 80)} {
		f := &fakeService{has: someOffers(), createErr: errors.New("no " + hostile)}
		s := connecting(t, f, 80, 24)
		s.Run(s.Pane.Start())
		asks(s, hostile, hostile)
		s.FitsEverySize()
		f.createErr, f.partly, f.fails = nil, true, map[string]error{"made_2": errors.New(hostile)}
		asks(s, hostile, hostile)
		s.FitsEverySize()
	}
}
