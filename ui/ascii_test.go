package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

const plainText = `---
name: release plan
---
# Release plan

The **spring release** ships on ` + "`2026-04-02`" + `. See [the checklist](checklist.md) and [x](https://example.com).

- [x] freeze the schema
- [ ] migrate the *old* exports
  - one
    - two
1. write the notes, and have them read by somebody who was not there when the decisions were made, long ago

> Dana prefers short notes.

| what | when |
| ---- | ---: |
| tag  | now  |

---

` + "```sh\nmake release VERSION=4.2   # tag first\n```" + `
long word word word word word word word word word word word word word word word word word word word word word twice, and twice again word word word word word word word word word word
`

// plainScenes returns scenes with memories that contain only ASCII.
func plainScenes() []engineScene {
	write := func(s *sim, p, text string) {
		if _, err := s.app.cfg.Store.Write(s.t.(*testing.T).Context(), versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}}, at(p), []byte(text), versions.Pre{}); err != nil {
			s.t.Fatal(err)
		}
	}
	open := func(keys string) func(*sim, string) {
		return func(s *sim, _ string) {
			write(s, "plan.md", plainText)
			write(s, "plan.md", strings.Replace(plainText, "spring", "summer", 1))
			s.keys("f5")
			s.send(screen.Open{Path: at("plan.md")})
			s.keys(keys)
		}
	}
	conflict := func(keys string) func(*sim, string) {
		return func(s *sim, _ string) {
			open("e")(s, "")
			s.typed("mine ")
			write(s, "plan.md", strings.Replace(plainText, "---\n", "--- \n", 1))
			s.keys(keys)
		}
	}
	return slices.Concat([]engineScene{
		{"a plan of a release", open("")},
		{"not wrapped", open("w")},
		{"rendered", open("m")},
		{"rendered, lower", open("m G")},
		{"blamed", open("B")},
		{"selected", open("V j j")},
		{"edited", open("e")},
		{"edited, not wrapped", open("e alt+z ctrl+end")},
		{"edited, found", open("e ctrl+f r e")},
		{"edited, replaced", open("e ctrl+r r")},
		{"conflict", conflict("ctrl+s")},
		{"merge", conflict("ctrl+s m")},
		{"not saved", conflict("esc")},
		{"a list", open("esc `")},
		{"columns", open("esc c")},
		{"filtered", open("esc / p l enter")},
		{"help", open("?")},
		{"help, lower", open("? pgdown pgdown pgdown pgdown pgdown pgdown pgdown")},
		{"deleting", func(s *sim, _ string) { s.on("d").keys("d") }},
		{"a prompt", func(s *sim, _ string) { s.keys("n") }},
		{"an error", func(s *sim, _ string) {
			s.send(screen.Notice{Text: strings.Repeat("rename /people/dana.md: already exists: choose another name · ", 9), Bad: true})
		}},
		{"done", func(s *sim, _ string) { s.send(screen.Delete{Paths: []memfs.Path{at("safe.md")}}) }},
		{"side by side", open("H enter s")},
		{"words", open("H enter i")},
		{"a diff, not wrapped", open("H enter w f ctrl+d")},
		{"a hit of a long line", open("ctrl+g t w i c e")},
		{"a long line replaced", open("ctrl+g t w i c e ctrl+r o n c e")},
		{"all changes, folded", open("H c -")},
		{"working", func(s *sim, _ string) { s.sending("undo session x", 1, 5) }},
	}, actionScenes())
}

// If lines are drawn with ASCII, all signs of the program are ASCII too: with ASCII memories,
// no screen shows any other character.
func TestASCII_IsUsedForAllDrawing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it draws for long")
	}
	for n, scene := range plainScenes() {
		if n%*scenesEach != 0 {
			continue
		}
		t.Run(scene.name, func(t *testing.T) {
			s := engineSim(t, "evil", 120, 36, func(c *Config) { c.ASCII = true })
			scene.play(s, "two")
			for _, size := range [][2]int{{120, 36}, {80, 24}, {40, 12}} {
				s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				for _, row := range strings.Split(ansi.Strip(s.app.View()), "\n") {
					if strings.IndexFunc(row, func(r rune) bool { return r > '~' }) >= 0 {
						t.Errorf("%dx%d: %s", size[0], size[1], row)
					}
				}
			}
		})
	}
}

// The text of a memory, and its name in the tree, are never changed.
func TestASCII_KeepsTheTextOfMemories(t *testing.T) {
	t.Parallel()
	const line = "“a” → b · … ✓ × ≈ ● │ █ — é"
	s := engineSim(t, "evil", 100, 30, func(c *Config) { c.ASCII = true })
	if _, err := s.app.cfg.Store.Write(t.Context(), me, at("d/é→.md"), []byte("one\n"+line+"\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	s.keys("f5")
	s.shows(" é→.md ")
	s.send(screen.Open{Path: at("d/é→.md")})
	s.shows("2 " + line)
	for _, keys := range []string{"m", "m e", "esc H", "H ctrl+g"} {
		s.keys(keys)
		if keys == "H ctrl+g" {
			s.typed("é")
		}
		s.shows(line)
	}
}
