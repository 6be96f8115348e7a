package talk

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/markdown"
)

const story = "# What I found\n\nThe plan says **Monday**,\nbut Kim says Friday.\n\n- one\n- two\n\n  still two\n\n- three\n\n```go\nfunc main() {\n\n\tprintln(\"hello\")\n}\n```\n\nAfter the code, a `word` and 佐藤 優希.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.\n"

func rows(f *flow, w int) string {
	f.layOut(w)
	pen := markdown.NewPen(markdown.NewStyles(theme.New(true, theme.Many)))
	var out []string
	for n := range f.height() {
		out = append(out, ansi.Strip(string(f.append(nil, n, pen, ""))))
	}
	return strings.Join(out, "\n")
}

func TestFlow_IsIndependentOfChunking(t *testing.T) {
	t.Parallel()
	for _, plain := range []bool{true, false} {
		for _, w := range []int{8, 30, 80} {
			want := rows(newFlow(plain, story), w)
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 1))
				f := &flow{plain: plain, open: true}
				for s := story; s != ""; {
					n := min(1+r.IntN(9), len(s)) // bytes: characters are split
					f.add(s[:n])
					f.layOut(w)
					s = s[n:]
				}
				f.open = false
				if got := rows(f, w); got != want {
					t.Fatalf("plain %v, width %d, seed %d:\n%s\nwant\n%s", plain, w, seed, got, want)
				}
				if f.text() != story {
					t.Fatalf("the text became %q", f.text())
				}
			}
		}
	}
}

// The rows must be the Markdown of the whole text, not of its parts.
func TestFlow_InPartsIsTheWholeText(t *testing.T) {
	t.Parallel()
	if f := newFlow(false, story); len(f.parts) < 4 {
		t.Fatalf("the text has %d parts only", len(f.parts))
	}
	texts := []string{story, "\n\nA text after empty lines.\n\nAnd more.\n"}
	blocks := []string{"A paragraph\n", "of text\n", "\n", "\n", "- item\n", "  more\n", "1. one\n", "# Head\n", "```go\n", "```\n", "````\n", "~~~\n", "> quote\n", "    code\n", "| a | b |\n", "|--|--|\n", "佐藤\n", "**b** `c`\n"}
	for seed := range uint64(500) {
		r, s := rand.New(rand.NewPCG(seed, 3)), ""
		for range 3 + r.IntN(8) {
			s += blocks[r.IntN(len(blocks))]
		}
		texts = append(texts, s)
	}
	pen := markdown.NewPen(markdown.NewStyles(theme.New(true, theme.Many)))
	for _, s := range texts {
		l := markdown.Parse([]byte(strings.TrimRight(s, "\n "))).Layout(40, false)
		var want []string
		for n := range l.Len() {
			want = append(want, ansi.Strip(string(l.Append(nil, n, pen))))
		}
		if got := rows(newFlow(false, s), 40); got != strings.Join(want, "\n") {
			t.Errorf("%q in parts\n%s\nas a whole\n%s", s, got, strings.Join(want, "\n"))
		}
	}
}

func TestFlow_ChangesOnlyItsEnd(t *testing.T) {
	t.Parallel()
	f := &flow{open: true}
	for range 2000 {
		f.add("A paragraph that is written once and stays as it is.\n\n")
		f.layOut(60)
	}
	before := make([]*markdown.Layout, len(f.parts)-1)
	for i := range before {
		before[i] = f.parts[i].doc
	}
	f.add("and one more")
	f.layOut(60)
	for i, doc := range before {
		if f.parts[i].doc != doc {
			t.Fatalf("part %d of %d was laid out again", i, len(before))
		}
	}
}

func TestFlow_LimitsReparsing(t *testing.T) {
	t.Parallel()
	for name, piece := range map[string]string{"one word": "x", "one line": "many words ", "code": "a line of code\n", "a list": "- an entry\n", "bytes": "\xff\x80"} {
		for _, plain := range []bool{true, false} {
			f := &flow{plain: plain, open: true}
			if name == "code" {
				f.add("```\n")
			}
			for f.bytes < 64<<10 {
				f.add(strings.Repeat(piece, 40))
			}
			if n := len(f.parts[len(f.parts)-1].src); n > maxPart+40*len(piece) {
				t.Errorf("%s, plain %v: the last part has %d bytes", name, plain, n)
			}
			f.layOut(40)
			if name == "code" && !plain && strings.Contains(rows(f, 40), "```") {
				t.Error("the code of a later part is no code")
			}
		}
	}
}

func TestFlow_WaitsForTheRestOfACharacter(t *testing.T) {
	t.Parallel()
	f := &flow{plain: true, open: true}
	f.add("caf\xc3")
	if got := strings.TrimSpace(rows(f, 20)); got != "caf" {
		t.Errorf("half a character shows as %q", got)
	}
	f.add("\xa9")
	if got := strings.TrimSpace(rows(f, 20)); got != "café" {
		t.Errorf("the whole one shows as %q", got)
	}
	f.add(" \xc3")
	f.open = false // the rest never came
	f.width = 0
	if got := strings.TrimSpace(rows(f, 20)); got != "café <C3>" {
		t.Errorf("what stays half shows as %q", got)
	}
}

// A fence ends only with one of its own marks that is as long, so a text may show Markdown in it.
func TestFlow_KeepsAFenceWithinALongerOne(t *testing.T) {
	t.Parallel()
	const example = "Write it so:\n\n````md\n# A title\n\n```go\nfunc main() {}\n```\n\nAfter **the** code.\n````\n\nThat is all.\n"
	if got := rows(newFlow(false, example), 40); !strings.Contains(got, "After **the** code.") || !strings.Contains(got, "That is all.") {
		t.Errorf("the example is cut:\n%s", got)
	}
}

// A row of code in three marks is not the beginning of a fence.
func TestFlow_KnowsCodeInOneRow(t *testing.T) {
	t.Parallel()
	f := newFlow(false, "```one row```\n\nThen text.\n\nAnd **more** of it.\n")
	if len(f.parts) != 3 {
		t.Errorf("%d parts, want 3", len(f.parts))
	}
}
