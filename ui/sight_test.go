package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// A key decides the current hunk: its first changed line is on the screen, with a line of context, at every size.
func TestQueue_ShowsTheHunkThatAKeyDecides(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 40, 12, func(c *Config) {
		c.Prompt = func(versions.SessionID) string { return strings.Repeat("Read the page about the rules ", 4) }
	})
	q.policy("open")
	lines := func(change ...string) string {
		text := ""
		for i := range 60 {
			text += fmt.Sprintf("line %d of it\n", i)
		}
		return strings.NewReplacer(change...).Replace(text)
	}
	first := []string{"line 4 of it\n", "four: token ghp_16C7e42F292c6912E7710c838347Ae178B4a is a secret that is longer than the screen is wide\nand\n"}
	second := []string{"line 14 of it\n", "fourteen\n"}
	q.writes(reviewer, "a.md", lines())
	q.writes(robot, "a.md", lines(first...))
	tickets := robot
	tickets.Session, tickets.Actor.Name = "sesn_tickets", "a-rather-long-name-of-an-agent"
	q.writes(tickets, "a.md", lines(append(first, second...)...))
	sees := func(when string, w, h int, want ...string) {
		t.Helper()
		checkFrame(t, when, q.app, w, h)
		for _, want := range want {
			if s := q.screen(); !strings.Contains(s, want) {
				t.Fatalf("%dx%d, %s: no %q\n%s", w, h, when, want, s)
			}
		}
	}
	for _, wrapped := range []bool{false, true} {
		for _, w := range []int{40, 41, 55, 80, 99, 100, 120, 160} {
			for h := 12; h <= 40; h += 1 + h/16 {
				q.send(tea.WindowSizeMsg{Width: w, Height: h})
				q.keys("! l")
				if wrapped {
					q.keys("w")
				}
				sees("opened", w, h, "hunk 1 of 2", "- line 4", "line 3 of")
				q.keys("]")
				sees("after ]", w, h, "hunk 2 of 2", "- line 14", "line 13 of")
				q.send(tea.WindowSizeMsg{Width: 130, Height: 50})
				sees("larger", 130, 50, "hunk 2 of 2", "- line 14", "line 13 of")
				q.send(tea.WindowSizeMsg{Width: w, Height: h})
				sees("as before", w, h, "hunk 2 of 2", "- line 14", "line 13 of")
				q.keys("[")
				sees("after [", w, h, "hunk 1 of 2", "- line 4", "line 3 of")
				q.keys(".")
				sees("after a decision", w, h, "- line 14", "line 13 of")
				q.keys("u")
				sees("undone", w, h, "hunk 1 of 2", "- line 4", "line 3 of")
				q.keys("c")
				sees("why", w, h, "hunk 1 of 2", "- line 4", "line 3 of")
				q.leaveScreens()
			}
		}
	}
}

func TestMessage_CoversNotTheLineOfTheCursor(t *testing.T) {
	t.Parallel()
	store := newFake()
	store.write(me, "long.md", strings.Repeat("a line\n", 29)+"the line of the cursor\n")
	s := newSim(t, store, 60, 18)
	s.send(screen.Open{Path: at("long.md")})
	s.keys("G")
	s.shows("the line of the cursor")
	s.app.out.Do(screen.Notice{Text: strings.Repeat("a long message ", 7), Bad: true})
	s.send(nil)
	s.shows("message a long message", "the line of the cursor")
}

// The title of the editor counts the lines that it numbers, and its name stays where it is while the cursor moves.
func TestEditor_TitleHasOneCountAndAName(t *testing.T) {
	t.Parallel()
	store := newFake()
	store.write(me, "ops/deploy.md", strings.Repeat("a line that is long enough\n", 18))
	s := newSim(t, store, 80, 24)
	s.send(screen.Open{Path: at("ops/deploy.md")})
	s.keys("e x")
	for range 12 {
		s.shows("─ /ops/deploy.md * ─", " of 19")
		s.keys("right")
	}
	s.keys("ctrl+end")
	s.shows(" 19 ", "19:1 of 19")
	s.send(tea.WindowSizeMsg{Width: 120, Height: 24})
	s.shows("─ edit /ops/deploy.md * ─")
}
