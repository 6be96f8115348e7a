package outside

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func linesOf(t *testing.T, x *tail) (out []string) {
	t.Helper()
	if err := x.read(func(line []byte) { out = append(out, strings.TrimSuffix(string(line), "\n")) }); err != nil {
		t.Fatal(err)
	}
	return out
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
}

const threeLines = "{\"a\":1}\n{\"b\":\"ü\"}\n\n{\"c\":3}\n"

// A writer may stop for a moment at any byte.
func TestTail_TornAtEachByte_ReturnsEachWholeLineOnce(t *testing.T) {
	t.Parallel()
	for at := range len(threeLines) + 1 {
		file := filepath.Join(t.TempDir(), "s.jsonl")
		x := &tail{file: file}
		put(t, file, threeLines[:at])
		got := linesOf(t, x)
		appendTo(t, file, threeLines[at:])
		got = append(got, linesOf(t, x)...)
		if want := strings.Split(strings.TrimSuffix(threeLines, "\n"), "\n"); !slices.Equal(got, want) {
			t.Errorf("torn at %d: %q", at, got)
		}
	}
}

// A file that was cut, at whatever byte, and goes on is read anew.
func TestTail_TruncatedAtEachByte_ReadsOn(t *testing.T) {
	t.Parallel()
	for at := range len(threeLines) {
		file := filepath.Join(t.TempDir(), "s.jsonl")
		put(t, file, threeLines)
		x := tailFrom(file, 0)
		if err := os.Truncate(file, int64(at)); err != nil {
			t.Fatal(err)
		}
		linesOf(t, x)
		appendTo(t, file, "\n{\"new\":1}\n")
		if got := linesOf(t, x); len(got) == 0 || got[len(got)-1] != `{"new":1}` {
			t.Errorf("cut at %d: %q", at, got)
		}
	}
}

func TestTail_OfReplacedOrLaterFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	x := &tail{file: file}
	if got := linesOf(t, x); len(got) != 0 {
		t.Errorf("%q", got)
	}
	put(t, file, "one\ntwo\n")
	if got := linesOf(t, x); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
	put(t, file+".new", "three\nfour\nfive\n") // longer than what was there: only the file itself tells
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	if got := linesOf(t, x); !slices.Equal(got, []string{"three", "four", "five"}) {
		t.Errorf("%q", got)
	}
	put(t, file+".new", "seven\neight\ntwo\nten\n") // of which a line ends where the last one did
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	if got := linesOf(t, x); !slices.Equal(got, []string{"seven", "eight", "two", "ten"}) {
		t.Errorf("%q", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := linesOf(t, x); len(got) != 0 {
		t.Errorf("%q", got)
	}
	put(t, file, "six\n")
	if got := linesOf(t, x); !slices.Equal(got, []string{"six"}) {
		t.Errorf("%q", got)
	}
}

func TestTailFrom_StartsAtALine(t *testing.T) {
	t.Parallel()
	for back := range len(threeLines) + 3 {
		file := filepath.Join(t.TempDir(), "s.jsonl")
		put(t, file, threeLines)
		got := strings.Join(linesOf(t, tailFrom(file, int64(back))), "\n")
		if got != "" && !strings.HasSuffix("\n"+strings.TrimSuffix(threeLines, "\n"), "\n"+got) {
			t.Errorf("from %d bytes before the end: %q", back, got)
		}
		if len(got) > back {
			t.Errorf("from %d bytes before the end: %d bytes", back, len(got))
		}
		if got == "" && back >= len("{\"c\":3}\n") {
			t.Errorf("from %d bytes before the end: nothing", back)
		}
	}
}

func TestTail_SkipsTooLongLines(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	put(t, file, "one\n"+strings.Repeat("x", maxLine+tailAtOnce))
	x := &tail{file: file}
	got := linesOf(t, x)
	appendTo(t, file, "xx\ntwo\n")
	if got = append(got, linesOf(t, x)...); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%d lines: %.40q", len(got), got)
	}
}

// However a file grows, is cut and is replaced, no line is given that never stood in it.
func FuzzTail(f *testing.F) {
	f.Add([]byte("abc\x00d\x01ef\x02gh"))
	f.Add([]byte("000\"0011111120000XX0020")) // cut, and longer than before when it is looked at again
	f.Fuzz(func(t *testing.T, acts []byte) {
		if len(acts) > 200 {
			return
		}
		file := filepath.Join(t.TempDir(), "s.jsonl")
		x := &tail{file: file}
		n, held, torn := 0, map[string]bool{}, ""
		for _, a := range acts {
			switch a % 6 {
			case 0:
				n++
				whole := fmt.Sprintf("line %d", n)
				appendTo(t, file, whole+"\n")
				held[torn+whole], torn = true, ""
			case 1:
				n++
				half := fmt.Sprintf("half %d ", n)
				appendTo(t, file, half)
				torn += half
			case 2, 3:
				for _, l := range linesOf(t, x) {
					if !held[l] {
						t.Fatalf("%q was never there: %q", l, acts)
					}
				}
			case 4:
				put(t, file+".new", "")
				if err := os.Rename(file+".new", file); err != nil {
					t.Fatal(err)
				}
				torn = ""
			case 5:
				if b, err := os.ReadFile(file); err == nil {
					at := bytes.LastIndexByte(b, '\n') + 1
					if err := os.Truncate(file, int64(at)); err != nil {
						t.Fatal(err)
					}
					torn = ""
				}
			}
		}
	})
}
