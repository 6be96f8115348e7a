package rules

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/ui/textscreen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/policy"
	"github.com/memend/memend/versions/review"
)

var (
	alice = versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}
	robot = versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "sesn_robot"}
)

// world runs the room on a store: its requests are collected, its work is done.
type world struct {
	t     *testing.T
	store *engine.Store
	env   screen.Env
	room  *Room
	sent  []tea.Msg
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, store: storetest.NewStore(t, versions.Options{}), env: screentest.Env(t.Context())}
	storetest.Write(t, w.store, robot, "team/a.md", "text\n")
	w.room = New(w.env, local.Store{Store: w.store}, "notes", alice)
	return w
}

func (w *world) send(r screen.Request) {
	w.t.Helper()
	switch r := r.(type) {
	case screen.Policy:
		w.run(w.room.Policy(r.Session))
	case screen.Pin:
		w.run(w.room.Pin(r))
	case screen.Unpin:
		w.run(w.room.Unpin(r.Path))
	}
}

func (w *world) run(cmd tea.Cmd) {
	for _, msg := range screentest.Requests(w.env) {
		w.take(msg)
	}
	if cmd != nil {
		w.take(cmd())
	}
}

func (w *world) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case screen.Reply:
		w.run(msg.Take())
	case screen.Work:
		did, _ := msg.Do(w.t.Context())
		w.take(did)
	default:
		w.sent = append(w.sent, msg)
	}
}

func (w *world) last() tea.Msg { return w.sent[len(w.sent)-1] }

// choose answers the last question.
func (w *world) choose(key string) {
	w.t.Helper()
	ask, ok := w.last().(screen.Choose)
	if !ok {
		w.t.Fatalf("nothing is asked: %+v", w.last())
	}
	for _, o := range ask.Options {
		if o.Key == key {
			w.run(o.Then())
			return
		}
	}
	w.t.Fatalf("no answer %q in %+v", key, ask)
}

func (w *world) policyOf(session versions.SessionID) string {
	p, err := review.PolicyOf(w.t.Context(), w.store, session)
	if err != nil {
		w.t.Fatal(err)
	}
	return Name(p)
}

func TestPolicy_IsChosenByNameAndSaysThePresentOne(t *testing.T) {
	w := newWorld(t)
	w.send(screen.Policy{})
	ask := w.last().(screen.Choose)
	for _, p := range policy.Presets {
		about := p.Name + ": " + p.Summary + "."
		if strings.Contains(ask.Text, about) == slices.ContainsFunc(ask.Options, func(o screen.Option) bool { return o.About == about }) {
			t.Errorf("%s is not explained exactly once: %+v", p.Name, ask)
		}
	}
	if ask.First || ask.Options[len(ask.Options)-1].Then != nil {
		t.Error("the default answer changes something")
	}
	w.choose("c")
	if got := w.policyOf(""); got != "careful" {
		t.Errorf("the policy is %s", got)
	}
	w.send(screen.Policy{})
	if ask := w.last().(screen.Choose); ask.Text != "Now careful: changes that follow outside input wait; secrets are denied." || ask.Options[len(ask.Options)-1].About != "" {
		t.Errorf("%q", ask.Text)
	}
}

func TestPolicy_OfASessionIsSetAndDropped(t *testing.T) {
	w := newWorld(t)
	w.send(screen.Policy{Session: robot.Session})
	w.choose("s")
	w.choose("r")
	if store, session := w.policyOf(""), w.policyOf(robot.Session); store != "open" || session != "review" {
		t.Errorf("store %s, session %s", store, session)
	}
	w.send(screen.Policy{Session: robot.Session})
	w.choose("s")
	w.choose("s")
	if session := w.policyOf(robot.Session); session == "review" {
		t.Error("the session keeps its policy")
	}
}

func TestPolicy_AsTextShowsWhereItIsWrong(t *testing.T) {
	w := newWorld(t)
	w.send(screen.Policy{})
	w.choose("e")
	pane := w.last().(screen.Show).Pane.(*textscreen.Pane)
	pane.SetSize(100, 20)
	type_ := func(s string) {
		for _, c := range s {
			w.run(pane.Update(tea.KeyPressMsg{Code: c, Text: string(c)}))
		}
	}
	type_("forbid ")
	w.run(pane.Update(screentest.Key("ctrl+s")))
	if view := ansi.Strip(pane.View()); !strings.Contains(view, "Not saved: policy, line 1, column 1") {
		t.Errorf("%s", view)
	}
	if got := w.policyOf(""); got != "open" {
		t.Errorf("the policy is %s", got)
	}
	pane.Replace([]byte("hold actor:agent path:/team\n"))
	w.run(pane.Update(screentest.Key("ctrl+s")))
	if _, left := w.last().(screen.Drop); !left {
		t.Errorf("it is not left: %+v", w.last())
	}
	p, err := review.PolicyOf(t.Context(), w.store, "")
	if err != nil || p.String() != "hold actor:agent path:/team\n" {
		t.Errorf("%q, %v", p.String(), err)
	}
}

func TestPin_MakesAFolderReadOnlyAndBack(t *testing.T) {
	w := newWorld(t)
	team := screentest.Path("team")
	w.send(screen.Pin{Path: team, For: versions.PinAll})
	pins, err := review.Pins(t.Context(), w.store)
	if err != nil || len(pins) != 1 || pins[0].Path != team || pins[0].For != versions.PinAll {
		t.Fatalf("%+v, %v", pins, err)
	}
	w.send(screen.Unpin{Path: team})
	if pins, _ := review.Pins(t.Context(), w.store); len(pins) != 0 {
		t.Errorf("%+v", pins)
	}
	w.send(screen.Unpin{Path: team})
	if n := w.last().(screen.Notice); !n.Bad || !strings.Contains(n.Text, "not pinned") {
		t.Errorf("%+v", n)
	}
}
