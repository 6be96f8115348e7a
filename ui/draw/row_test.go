package draw

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
)

func TestRow_HasAFixedWidth(t *testing.T) {
	th := theme.New(true, theme.Many)
	in := NewInput("what is typed, and more of it")
	for w := range 60 {
		for _, begin := range []func() Row{func() Row { return NewRow(nil, w) }, func() Row { return StyledRow(nil, w, th.Selected) }} {
			r := begin()
			r.Put("● ", th.Changed)
			r.Column("日本語の名前", 7, th.Text)
			r.Number("12", 4, th.Dim)
			r.Lines(1200, 7, 5, th)
			r.PathColumn("/a/long/path/to/日本.md", 9, th.Text)
			r.Path("/another/path.md", 6, th.Text)
			r.Input(&in, r.Left(), th.Input)
			if got := ansi.StringWidth(string(r.End())); got != w {
				t.Fatalf("a row of %d columns has %d", w, got)
			}
		}
	}
	r := NewRow(nil, 34)
	r.Number("12", 4, th.Dim)
	r.Lines(1200, 0, 5, th)
	r.PathColumn("/a/long/path.md", 8, th.Text)
	r.Put("end", th.Text)
	if got := ansi.Strip(string(r.End())); got != "  12   +1k       …path.md end     " {
		t.Errorf("it is drawn as %q", got)
	}
}

func TestCount_FitsFourColumns(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1k", 99_999: "99k", 100_000: "lots"} {
		if got := Count(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestShortID_KeepsNamesAndWhatGitKnows(t *testing.T) {
	hash := "6d99cce0123456789012345678901234546576ef"
	for id, want := range map[string]string{"sesn_01234567890abcdefgh": "abcdefgh", "0e0f8a52-51b5-4a6f-9d6c-1a2b3c4d5e6f": "3c4d5e6f", "badone-1111": "badone-1111",
		hash: "6d99cce0", hash + "-review": "f-review", "sesn_日本": "日本", "x_": "x_", "": "", "plain": "plain"} {
		if got := ShortID(id, 8); got != want {
			t.Errorf("%q is %q, want %q", id, got, want)
		}
	}
}
