package memfs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLongViewEndsAtALineAndSaysHowToContinue(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "one\ntwo\nthree")
	put(t, d, "wide", strings.Repeat("é", 50)+"\nnext\n")
	put(t, d, "last", strings.Repeat("x", 50))
	const head = "Here's the content of /memories/%s with line numbers:\n"
	for _, c := range []struct {
		name, file string
		ends       *[2]int64
		chars      int
		want       string
	}{
		{"one line fits", "a.md", nil, 76, "     1\tone\n[cut at 76 characters, after line 1; use view_range [2, 3] to read on]"},
		{"two lines fit to the character", "a.md", nil, 77, "     1\tone\n     2\ttwo\n[cut at 77 characters, after line 2; use view_range [3, 3] to read on]"},
		{"one character is missing", "a.md", nil, 89, "     1\tone\n     2\ttwo\n[cut at 89 characters, after line 2; use view_range [3, 3] to read on]"},
		{"all fits to the character", "a.md", nil, 90, "     1\tone\n     2\ttwo\n     3\tthree"},
		{"no limit", "a.md", nil, 0, "     1\tone\n     2\ttwo\n     3\tthree"},
		{"a range reads on to its own end", "a.md", &[2]int64{1, 2}, 76, "     1\tone\n[cut at 76 characters, after line 1; use view_range [2, 2] to read on]"},
		{"a long line is cut between characters", "wide", nil, 80, "     1\tééééééééééééééééé\n[cut at 80 characters in the middle of line 1, whose rest can't be viewed; use view_range [2, 3] to read on after it]"},
		{"a long last line", "last", nil, 80, "     1\txxxxxxxxxxxxxxxxx\n[cut at 80 characters in the middle of line 1, whose rest can't be viewed; nothing comes after it]"},
		{"less than the heading", "a.md", nil, 1, " \n[cut at 1 characters in the middle of line 1, whose rest can't be viewed; use view_range [2, 3] to read on after it]"},
		{"an empty range is whole", "a.md", &[2]int64{9, 9}, 1, ""},
	} {
		_, got, err := Apply(d, View{Path: "/memories/" + c.file, Range: c.ends}, Options{ViewChars: c.chars})
		want := fmt.Sprintf(head, c.file) + c.want
		if err != nil || got.IsError || got.Text != want {
			t.Errorf("%s:\n%q, %v, want\n%q", c.name, got.Text, err, want)
		}
	}
}

// Whoever does as the cut says sees every line once and comes to an end.
func TestFollowingTheHintsReadsTheWholeFile(t *testing.T) {
	d := newDir(t)
	var want strings.Builder
	for i := range 300 {
		fmt.Fprintf(&want, "line %d %s\n", i, strings.Repeat("ü", i%37))
	}
	put(t, d, "long", want.String())
	on := regexp.MustCompile(`(?s)^[^\n]*\n(.*)\n\[cut at 400 characters, after line \d+; use view_range \[(\d+), (\d+)\] to read on\]$`)
	view := View{Path: "/memories/long"}
	var seen []string
	for pages := 1; ; pages++ {
		_, got, err := Apply(d, view, Options{ViewChars: 400})
		if err != nil || got.IsError || pages > 300 {
			t.Fatal(got, err, pages)
		}
		m := on.FindStringSubmatch(got.Text)
		if m == nil {
			_, body, _ := strings.Cut(got.Text, "\n")
			seen = append(seen, strings.Split(body, "\n")...)
			break
		}
		if n := utf8.RuneCountInString(got.Text[:strings.LastIndexByte(got.Text, '\n')]); n > 400 {
			t.Fatalf("a page of %d characters", n)
		}
		seen = append(seen, strings.Split(m[1], "\n")...)
		var ends [2]int64
		ends[0], _ = strconv.ParseInt(m[2], 10, 64)
		ends[1], _ = strconv.ParseInt(m[3], 10, 64)
		view.Range = &ends
	}
	for i, line := range seen {
		_, seen[i], _ = strings.Cut(line, "\t")
	}
	if strings.Join(seen, "\n") != want.String() {
		t.Errorf("read %d lines that are not the file's 301", len(seen))
	}
}
