package memory

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memend/memend/versions"
)

// indexAll indexes a text in pieces of a few bytes.
func indexAll(t interface{ Fatal(...any) }, b []byte, step int) lineIndex {
	var ix lineIndex
	for !ix.done {
		p, err := indexPiece(bytes.NewReader(b), ix, step)
		if err != nil {
			t.Fatal(err)
		}
		ix.add(p)
	}
	return ix
}

// splitLines is a plain definition of lines.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func TestIndex_FindsEveryLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"\n", "a\n", "long line with words\n", "é\n", "\n\n\n", "x"})
		s := strings.Repeat(strings.Join(rapid.SliceOfN(unit, 0, 40).Draw(t, "text"), ""), rapid.IntRange(1, 30).Draw(t, "times"))
		want := splitLines(s)
		ix := indexAll(t, []byte(s), rapid.IntRange(1, 500).Draw(t, "step"))
		if ix.lines != len(want) || ix.read != int64(len(s)) {
			t.Fatalf("%d lines and %d bytes, want %d and %d", ix.lines, ix.read, len(want), len(s))
		}
		if len(want) == 0 {
			return
		}
		first := rapid.IntRange(0, len(want)-1).Draw(t, "first")
		n := rapid.IntRange(1, 300).Draw(t, "n")
		from, offset := ix.near(first)
		w, err := readWindow(strings.NewReader(s), from, offset, first, n, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(w.lines, "\n"); got != strings.Join(want[first:min(first+n, len(want))], "\n") {
			t.Fatalf("lines from %d: %q", first, got)
		}
	})
}

func TestWindow_DropsCRLFAndCutsLongLines(t *testing.T) {
	w, _ := readWindow(strings.NewReader("a\r\nb\r\nc"), 0, 0, 0, 9, true)
	if got := strings.Join(w.lines, "|"); got != "a|b|c" {
		t.Errorf("%q", got)
	}
	if ix := indexAll(t, []byte("a\r\nb\r\n"), 100); !ix.crlf {
		t.Error("CRLF is not noticed")
	}
	long := strings.Repeat("é", maxLineBytes)
	w, _ = readWindow(strings.NewReader("x"+long+"\nnext\n"), 0, 0, 0, 9, false)
	if len(w.lines) != 2 || w.lines[1] != "next" || len(w.lines[0]) > maxLineBytes+3 || !strings.HasSuffix(w.lines[0], "é…") {
		t.Errorf("%d lines, the first of %d bytes", len(w.lines), len(w.lines[0]))
	}
}

func TestLargeFile_IsReadInWindows(t *testing.T) {
	f := newFake()
	var b strings.Builder
	for i := range 400_000 {
		b.WriteString("line ")
		b.WriteString(strings.Repeat("x", i%9))
		b.WriteString("\n")
	}
	b.WriteString("the very last line")
	f.write("big.log", b.String())
	s := newSim(t, f, 100, 18)
	s.open("big.log")
	d := s.pane.doc
	if d.whole || len(d.window.lines) > 3*margin {
		t.Fatalf("%d lines are held", len(d.window.lines))
	}
	s.titled("line 1 of 400001")
	s.keys("G")
	s.shows("400001 the very last line")
	s.keys("w g g 1 2 3 4 5 6 G")
	s.shows("123456 line")
	for range 60 {
		s.keys("pgup")
		s.shows(" line")
	}
	s.keys(":")
	s.answers("300001")
	s.shows("300001 line")
	s.keys(":")
	s.answers("100%")
	s.shows("400001 the very last line")
	s.keys("g g")
	s.keys("/")
	s.answers("very last")
	s.titled("1/1")
	s.shows("400001 the very last line")
	s.keys(":")
	s.answers("77")
	s.shows("    77 line")
}

func TestLargeFile_EndIsReachableWithWrappedLines(t *testing.T) {
	f := newFake()
	f.write("big.log", strings.Repeat(strings.Repeat("several words ", 9)+"\n", 20_000)+"the very last line")
	s := newSim(t, f, 60, 12)
	s.open("big.log")
	s.keys("G")
	s.shows("20001 the very last line")
}

func TestEdit_RefusesAFileThatIsTooLargeForAMemory(t *testing.T) {
	f := newFake()
	f.write("memory.log", strings.Repeat("x", versions.DefaultMaxBytes))
	f.write("big.log", strings.Repeat("x", versions.DefaultMaxBytes+1))
	s := newSim(t, f, 60, 12)
	s.open("memory.log")
	if why := s.pane.editDisabled(); why != "" {
		t.Errorf("the largest memory can't be edited: %s", why)
	}
	s.open("big.log")
	if why := s.pane.editDisabled(); why != "too large to edit: over 8.0M" {
		t.Errorf("a larger file: %q", why)
	}
}

func TestLargeFile_CanBeReopened(t *testing.T) {
	f := newFake()
	f.write("people/dana.md", "# Dana\n\nprefers short notes\n")
	f.write("big.log", strings.Repeat("0123456789\n", 200_000))
	s := newSim(t, f, 100, 18)
	s.run(s.pane.Show(at("big.log"), 150_000))
	s.shows("150000 0123456789")
	s.open("people/dana.md")
	s.shows("prefers short notes")
	s.open("big.log")
	s.shows("150000 0123456789")
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
