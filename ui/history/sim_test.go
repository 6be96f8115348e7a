package history

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

func typed(p *Pane, s string) {
	for _, r := range s {
		drain(p, p.Update(tea.KeyPressMsg{Code: r, Text: string(r)}))
	}
}

func special(p *Pane, code rune) []tea.Msg {
	return drain(p, p.Update(tea.KeyPressMsg{Code: code}))
}

var update = flag.Bool("update", false, "write the golden frames anew")

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// drain runs a command and all that follow from it, and returns the messages to the owner.
func drain(p *Pane, cmd tea.Cmd) []tea.Msg {
	out := screentest.Requests(p.env)
	if cmd == nil {
		return out
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			out = append(out, drain(p, c)...)
		}
	case screen.Reply:
		out = append(out, drain(p, msg.Take())...)
	default:
		out = append(out, msg)
	}
	return out
}

// pressed presses a key; gg is a sequence.
func pressed(p *Pane, name string) tea.Cmd {
	seq := []string{name}
	if name == "gg" {
		seq = []string{"g", "g"}
	}
	cmd, _ := p.Press(seq, 0)
	return cmd
}

func press(p *Pane, names string) []tea.Msg {
	var out []tea.Msg
	for _, n := range strings.Fields(names) {
		out = append(out, drain(p, pressed(p, n))...)
	}
	return out
}

func newPane(f *fake, w, h int) *Pane {
	p := New(screentest.Env(context.Background()), f, versions.By{Actor: ana, Session: "sesn_me"})
	p.SetNow(start.Add(50 * time.Hour))
	p.SetFocused(true)
	p.SetSize(w, h)
	return p
}

var (
	ana   = versions.Actor{Kind: versions.Person, Name: "ana"}
	agent = versions.Actor{Kind: versions.Agent, Name: "claude"}
	other = versions.Actor{Kind: versions.Outside}
)

// story is a store with a short history.
func story() *fake {
	f := newFake()
	f.write(ana, "/a.md", "one\ntwo\nthree\n")
	f.write(agent, "/a.md", "one\n2\nthree\n")
	f.write(agent, "/a.md", "one\n2\n3\n", "/b.md", "b\n")
	f.write(other, "/b.md", "")
	f.write(ana, "/a.md", "one\n2\n3\nfour\n")
	return f
}

// newest returns the number of the newest change that is loaded.
func newest(p *Pane) int64 {
	if len(p.all.items) == 0 {
		return 0
	}
	return p.all.items[0].number()
}

func shown(p *Pane) string { return ansi.Strip(p.View()) }

func wantShown(t *testing.T, p *Pane, what string, wants ...string) {
	t.Helper()
	got := shown(p)
	for _, w := range wants {
		if !strings.Contains(got, w) {
			t.Errorf("%s: no %q in\n%s", what, w, got)
		}
	}
}

// notes is a typical store: an agent writes in sessions and a person corrects it.
func notes() *fake {
	f := newFake()
	f.oneSession = true
	in := func(s string, by versions.Actor, texts ...string) {
		f.session = versions.SessionID(s)
		c := f.write(by, texts...)
		if by == agent {
			n := len(f.changes) - 1
			f.changes[n].Turn, f.changes[n].ToolUse = int(c.Number), fmt.Sprintf("toolu_%02d", c.Number)
		}
	}
	plan := func(day, owner string) string {
		return "# Release\n\nThe release is on " + day + ".\n\n## Steps\n\n- freeze\n- test\n- sign\n- publish\n\n## Who\n\n" + owner + " decides.\n"
	}
	in("sesn_monday01", agent, "/plan.md", plan("Monday", "Kim"))
	in("sesn_monday01", agent, "/people/kim.md", "# Kim\n\nlikes short notes\n")
	in("sesn_monday01", agent, "/plan.md", plan("Tuesday", "Kim"), "/people/kim.md", "# Kim\n\nlikes long notes\n")
	in("sesn_ana", ana, "/plan.md", plan("Friday", "Kim"))
	in("sesn_tuesday2", agent, "/plan.md", plan("Monday", "Lee"))
	in("sesn_tuesday2", agent, "/people/lee.md", "# Lee\n")
	in("", other, "/people/kim.md", "")
	return f
}

// selectedChange returns the number of the selected row's change; 0 if there is none.
func selectedChange(p *Pane) int64 {
	it, ok := p.list().item()
	if !ok {
		return 0
	}
	return it.inChange()
}
