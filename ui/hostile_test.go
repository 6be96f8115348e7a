package ui

import (
	"flag"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/terminal"
)

// foreign returns what a frame contains besides text, line feeds, and SGR sequences of digits
// and semicolons.
func foreign(frame string) string {
	prev := rune(0)
	for i := 0; i < len(frame); {
		r, n := utf8.DecodeRuneInString(frame[i:])
		if r == 0x1b {
			end := strings.IndexByte(frame[i:], 'm')
			if end < 0 || !strings.HasPrefix(frame[i:], "\x1b[") || strings.Trim(frame[i+2:i+end], "0123456789;") != "" {
				return "a sequence: " + strings.ToValidUTF8(frame[i:min(i+12, len(frame))], "?")
			}
			i += end + 1
			continue
		}
		if r == utf8.RuneError && n == 1 {
			return "a byte that is no UTF-8"
		}
		if next, _ := utf8.DecodeRuneInString(frame[i+n:]); r != '\n' && (r < 0x20 || memfs.HiddenRune(r)) && !memfs.Joins(prev, r, next) {
			return string(r)
		}
		prev = r
		i += n
	}
	return ""
}

// ours matches every sequence that the driver writes to show a frame.
var ours = regexp.MustCompile(`\x1b(\[[?>]?[0-9;:]*[A-Za-z@\x60]|\]2;[^\x00-\x1f\x7f]*\a|\[\d q|M)|[\r\n]`)

// strange returns what the bytes for the terminal contain besides text and sequences that
// match ours.
func strange(sent []byte) string {
	for _, r := range string(ours.ReplaceAll(sent, nil)) {
		if unicode.IsControl(r) || r == utf8.RuneError && !utf8.Valid(sent) {
			return string(r)
		}
	}
	return ""
}

// showHostileText shows a hostile text in every place of the screen: names, contents, prompts, messages,
// the name of the store.
func showHostileText(t testing.TB, hostile string) {
	f := sample()
	f.write(agent, "evil.md", hostile+"\n# "+hostile+"\n- `"+hostile+"`\n")
	if p, err := memfs.ParsePath("d/" + hostile); err == nil && !p.Hidden() && p.Base() != "d" && !p.IsRoot() {
		f.write(agent, p.String(), "x\n")
	}
	f.others[0].Note = hostile
	f.changes[0].Actor.Name = hostile
	for _, size := range []tea.WindowSizeMsg{{Width: 97, Height: 24}, {Width: 41, Height: 12}} {
		s := newSim(t, f, size.Width, size.Height)
		s.app.info.Name = hostile
		check := func(what string) { harmless(t, s, what, hostile) }
		check("the tree")
		s.send(screen.Open{Path: at("evil.md")})
		check("the memory")
		for _, keys := range []string{"m", "B", "V", "}"} { // each is left again except the last
			s.keys(keys)
			check("the memory after " + keys)
			s.keys(keys)
		}
		s.send(screen.Open{Path: at("evil.md")})
		s.keys("w /")
		s.send(tea.PasteMsg{Content: hostile})
		check("the prompt")
		s.keys("enter")
		check("the search")
		s.keys("e")
		check("the editor")
		s.keys("esc ctrl+p")
		s.send(tea.PasteMsg{Content: hostile})
		check("the finder")
		s.keys("esc")
		s.send(screen.Notice{Text: hostile, Bad: true})
		check("a message")
		s.keys("M")
		check("the messages")
		s.keys("esc H")
		check("the history")
		if title := s.app.title(); foreign(title) != "" {
			t.Fatalf("the title of the window is %q", title)
		}
	}
}

// harmless checks that a frame contains only text and the program's own styles.
func harmless(t testing.TB, s *sim, what, hostile string) {
	if bad := foreign(s.app.View()); bad != "" {
		t.Fatalf("%s: %q lets %q through", what, hostile, bad)
	}
	if bad := strange(terminal.Frame((&teaModel{app: s.app}).View(), s.app.w, s.app.h)); bad != "" {
		t.Fatalf("%s: %q makes the terminal obey %q", what, hostile, bad)
	}
	checkSize(t, what, s.app)
}

// scarePast does the same with the screens that need the engine.
func scarePast(t testing.TB, hostile string) {
	s := engineSim(t, hostile, 97, 24)
	for _, scene := range engineScenes {
		if scene.name == "redact, told" && len(hostile) > 60 {
			continue // it is slow
		}
		scene.play(s, hostile)
		for _, size := range []tea.WindowSizeMsg{{Width: 97, Height: 24}, {Width: 41, Height: 12}} {
			s.send(size)
			harmless(t, s, scene.name, hostile)
		}
		s.app.overlay, s.app.prompt, s.app.pending = nil, nil, keys.Pending{}
		s.app.notices = jobs.NewNotices(s.app.later)
		s.leaveScreens()
		s.app.setFocus(frame.Tree)
	}
}

func checkSize(t testing.TB, what string, a *App) {
	rows := strings.Split(a.View(), "\n")
	if len(rows) != a.h {
		t.Fatalf("%s: %d rows", what, len(rows))
	}
	for _, row := range rows {
		if cols := drawtest.Width(row); cols > a.w {
			t.Fatalf("%s: %d columns: %q", what, cols, row)
		}
	}
}

var hostileTexts = []string{
	"\x1b[31mred\x1b[0m", "\x1b]0;title\a", "\x1b]52;c;QUFB\x1b\\", "\x1bP+q\x1b\\", "\u009b31m", "\x9b31m", "\x9d0;t\x9c", "safe\rEVIL", "a\bb\x7f",
	"\u202egpj.exe", "\u2066x\u2069", "a\u200bb", "\U000E0041\U000E0042", "x\U000E0100", "a\ufe0f", "👩\u200d", "\u0301\u0301", "\xff\xfe", "a\x00b", "\t\v\f",
	strings.Repeat("\u0301", 200), "\u2028line", "\ufeff", "क्षि👩‍👩‍👧‍👦1️⃣", "\x1b[", "\x1b", "m\x1b[1", "\x1b[38;5;1mm\x1b[?1049h",
}

var hostileEach = flag.Int("hostile.each", 4, "show one of this many hostile texts on the screens of the engine")

// The seeds are the test: a sample of them, unless one fuzzes.
func FuzzFrameOfThePast(f *testing.F) {
	each := *hostileEach
	if flag.Lookup("test.fuzz").Value.String() != "" {
		each = 1
	}
	f.Add("") // a session and an actor without a name
	for i := 0; i < len(hostileTexts); i += each {
		f.Add(hostileTexts[i])
	}
	f.Fuzz(func(t *testing.T, hostile string) {
		if len(hostile) > 300 {
			return
		}
		scarePast(t, hostile)
	})
}

// README: "no text reaches the terminal as a control sequence". The seeds are the test.
func FuzzFrame(f *testing.F) {
	for _, hostile := range hostileTexts {
		f.Add(hostile)
	}
	f.Fuzz(func(t *testing.T, hostile string) {
		if len(hostile) > 1000 {
			return
		}
		showHostileText(t, hostile)
	})
}
