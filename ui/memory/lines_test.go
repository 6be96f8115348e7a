package memory

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// documentOf reads a text as the pane does.
func documentOf(t interface{ Fatal(...any) }, text string) *document {
	d := &document{}
	if err := d.read(fakeFile{bytes.NewReader([]byte(text))}); err != nil {
		t.Fatal(err)
	}
	d.examine()
	return d
}

func TestLines_AreThoseOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"\n", "a\n", "long line with words\n", "é\n", "\n\n\n", "x"})
		s := strings.Repeat(strings.Join(rapid.SliceOfN(unit, 0, 40).Draw(t, "text"), ""), rapid.IntRange(1, 30).Draw(t, "times"))
		var want []string
		if s != "" {
			want = strings.Split(strings.TrimSuffix(s, "\n"), "\n")
		}
		if d := documentOf(t, s); strings.Join(d.lines, "\n") != strings.Join(want, "\n") || len(d.lines) != len(want) || string(d.text) != s {
			t.Fatalf("%d lines, want %d, of %q", len(d.lines), len(want), s)
		}
	})
}

func TestLines_DropCRLF(t *testing.T) {
	if d := documentOf(t, "a\r\nb\r\nc"); strings.Join(d.lines, "|") != "a|b|c" || d.ends != "CRLF" {
		t.Errorf("%q, %s", d.lines, d.ends)
	}
}

func TestLongLine_IsShownToItsEnd(t *testing.T) {
	f := newFake()
	f.write("a.log", "begin "+strings.Repeat("words in one line ", 1<<20/18)+"end\nlast\n")
	s := newSim(t, f, 80, 12)
	s.open("a.log")
	s.shows("begin")
	s.keys("G")
	s.shows("line end", "2 last")
	s.keys("w /")
	s.answers("line end")
	s.shows("line end")
	s.keys("w /")
	s.answers("begin")
	s.shows("begin")
	s.keys("/")
	s.answers("line end")
	s.shows("line end")
	for _, w := range []int{31, 80} { // the rows are those of the new width
		s.pane.SetSize(w, 12)
		s.keys("G")
		s.shows("line end", "2 last")
	}
	f.write("b.log", strings.Repeat("words in one line ", 1<<20/18)+"end")
	s.open("b.log")
	s.keys("G")
	s.shows("line end")
	s.keys("k k g g")
	s.shows("1!words")
	s.open("a.log")
	f.write("a.log", "begin "+strings.Repeat("words of another line ", 1<<20/22)+"finish\nlast\n")
	s.run(s.pane.Reload())
	s.keys("G")
	s.shows("line finish", "2 last")
}

// The largest memory is read whole, the next byte makes it a part.
// README: "over 8 MiB: shown by their beginning, never versioned or deleted".
func TestLargeFile_IsShownByItsBeginning(t *testing.T) {
	const line = "0123456789 some words\n"
	if d := documentOf(t, strings.Repeat("x", versions.DefaultMaxBytes)); d.partial || len(d.text) != versions.DefaultMaxBytes {
		t.Errorf("of the largest memory %d bytes are read", len(d.text))
	}
	for name, c := range map[string]struct {
		text string
		want int // bytes
	}{
		"cut at a line end":        {strings.Repeat(line, 91<<20/len(line)), firstBytes / len(line) * len(line)},
		"one line":                 {strings.Repeat("x", 20<<20), firstBytes},
		"one line after a few":     {"a\nb\n" + strings.Repeat("x", 20<<20), firstBytes},
		"a character at the cut":   {strings.Repeat("x", firstBytes-2) + strings.Repeat("中", 3<<20), firstBytes - 2},
		"not UTF-8":                {strings.Repeat("\xff", 9<<20), firstBytes},
		"half a character at last": {strings.Repeat("x", firstBytes-1) + strings.Repeat("é", 5<<20), firstBytes - 1},
	} {
		d := documentOf(t, c.text)
		if !d.partial || len(d.text) != c.want || d.size != int64(len(c.text)) {
			t.Errorf("%s: part %v, %d bytes of %d, want %d", name, d.partial, len(d.text), d.size, c.want)
		}
		if d.binary != (name == "not UTF-8") || !d.binary && !utf8.Valid(d.text) {
			t.Errorf("%s: not UTF-8 is %v", name, d.binary)
		}
	}
}

func TestLargeFile_SaysThatItIsAPart(t *testing.T) {
	f := newFake()
	f.write("big.md", strings.Repeat("several words, enough to be a line\n", 91<<20/35))
	f.write("line.log", strings.Repeat("0123456789", 2<<20))
	f.write("not.bin", strings.Repeat("\xff\x00ab", 3<<20))
	for p, want := range map[string][]string{
		"big.md":   {"part of 91M: E opens it in your pager", "several words"},
		"line.log": {"part of 20M: E opens it in your pager", "0123456789"},
		"not.bin":  {"part of 12M: E opens it in your pager", "<FF>^@ab"},
	} {
		for _, w := range []int{120, 80, 40} {
			s := newSim(t, f, w, 12)
			s.open(p)
			s.shows(want...)
			s.keys("G")
			s.shows(want[0])
			for _, id := range []string{"change.edit", "text.find", "change.blame", "change.restore", "change.redact"} {
				entries := s.pane.Entries()
				if i := slices.IndexFunc(entries, func(e keys.Entry) bool { return e.ID == id }); i < 0 || entries[i].Why != tooLarge {
					t.Errorf("%s: %s is not refused as too large", p, id)
				}
			}
			s.keys("E")
			if got, ok := s.last().(screen.Pager); !ok || got.Path != at(p) {
				t.Errorf("%s: E asks for %+v", p, s.last())
			}
			s.keys("y y")
			if n, ok := s.last().(screen.Notice); !ok || !n.Bad {
				t.Errorf("%s: a part is copied: %T", p, s.last())
			}
		}
	}
	s := newSim(t, f, 100, 18)
	s.open("big.md")
	s.titled(fmt.Sprintf("line 1 of %d…", firstBytes/35))
	s.open("line.log")
	s.titled("line 1 of 1…")
	s.pane.SetFocused(false)
	s.titled("1… lines")
	s.shows("part of 20M")
	s.hides("E opens it") // E is a key of another pane
	s.pane.SetFocused(true)
	s.open("big.md")
	s.pane.text.doc.review = &review{}
	s.pane.text.layout()
	s.shows("part of 91M")
	s.keys("V y")
	if c, ok := s.last().(screen.Copy); !ok || c.Text != "several words, enough to be a line\n" {
		t.Errorf("a selected line is copied as %+v", s.last())
	}
}

func TestEdit_RefusesAFileThatIsTooLargeForAMemory(t *testing.T) {
	f := newFake()
	f.write("memory.log", strings.Repeat("x", versions.DefaultMaxBytes))
	f.write("big.log", strings.Repeat("x", versions.DefaultMaxBytes+1))
	s := newSim(t, f, 60, 12)
	s.open("memory.log")
	if why := s.pane.wholeDisabled(); why != "" {
		t.Errorf("the largest memory can't be edited: %s", why)
	}
	s.open("big.log")
	if why := s.pane.wholeDisabled(); why != "too large: over 8.0M" {
		t.Errorf("a larger file: %q", why)
	}
}

func TestWrap_ScrollsByRowsAndStopsAtTheEnds(t *testing.T) {
	f := newFake()
	f.write("a.md", strings.Repeat("several words that wrap around at the edge of a narrow pane\n", 5)+"end\n")
	s := newSim(t, f, 40, 9)
	s.open("a.md")
	first := s.screen()
	for range 100 {
		s.keys("j")
	}
	s.shows("▸  6 end", "   5 several", "   4 several") // the screen stays full
	last := s.screen()
	for range 100 {
		s.keys("k")
	}
	if s.screen() != first {
		t.Errorf("after scrolling down and up:\n%s", s.screen())
	}
	s.keys("G")
	if s.screen() != last {
		t.Errorf("the end is another:\n%s\nthan after scrolling:\n%s", s.screen(), last)
	}
	s.keys("pgup pgdown G")
	if s.screen() != last {
		t.Error("the end moved")
	}
	s.keys("w")
	s.hides("↪")
	s.keys("l")
	s.shows("words that wrap")
	s.hides("several")
}
