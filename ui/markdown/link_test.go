package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
)

func path(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

func TestResolve_FindsTheTarget(t *testing.T) {
	var store []memfs.Path
	for _, s := range []string{"index.md", "notes/a.md", "notes/deep/b.md", "notes/Plan.md", "other/a.md", "other/plan.md", "with space.md", "notes/deep/er/c.md", "z/c.md", "up.md", "README"} {
		store = append(store, path(s))
	}
	for _, c := range []struct {
		from, target string
		kind         LinkKind
		want         string
	}{
		{"notes/x.md", "a.md", Path, "/notes/a.md"},
		{"notes/x.md", "./deep/b.md#top", Path, "/notes/deep/b.md#top"},
		{"notes/x.md", "../up.md", Path, "/up.md"},
		{"notes/x.md", "../../up.md", Path, ""},
		{"notes/x.md", "../notes/../../up.md", Path, ""},
		{"notes/x.md", "%2e%2e/up.md", Path, "/up.md"},
		{"notes/x.md", "%252e%252e/up.md", Path, ""},
		{"notes/x.md", "/up.md", Path, "/up.md"},
		{"notes/x.md", "/memories/up.md", Path, "/up.md"},
		{"notes/x.md", "up.md", Path, ""},
		{"notes/x.md", "../with%20space.md", Path, "/with space.md"},
		{"notes/x.md", "a", Path, "/notes/a.md"},
		{"notes/x.md", "A.MD", Path, "/notes/a.md"},
		{"notes/x.md", "../README", Path, "/README"},
		{"notes/x.md", "a.md?x=1", Path, "/notes/a.md"},
		{"notes/x.md", "", Path, ""},
		{"notes/x.md", "https://a.md", URL, ""},
		{"notes/x.md", "#my%20place", Anchor, "/notes/x.md#my place"},
		{"notes/x.md", "^1", Footnote, "/notes/x.md#^1"},
		{"notes/x.md", "a", Wiki, "/notes/a.md"},
		{"other/x.md", "a.md", Wiki, "/other/a.md"},
		{"index.md", "b#Steps", Wiki, "/notes/deep/b.md#Steps"},
		{"notes/x.md", "plan", Wiki, "/other/plan.md"},
		{"notes/x.md", "PLAN", Wiki, "/notes/Plan.md"},
		{"notes/x.md", "other/a", Wiki, "/other/a.md"},
		{"notes/deep/x.md", "c", Wiki, "/notes/deep/er/c.md"},
		{"index.md", "c", Wiki, "/z/c.md"},
		{"index.md", "nothing", Wiki, ""},
		{"index.md", "../a", Wiki, ""},
		{"index.md", "#Steps", Wiki, "/index.md#Steps"},
	} {
		to, anchor, ok := Resolve(path(c.from), Link{Target: c.target, Kind: c.kind}, slices.Values(store))
		got := ""
		if ok {
			if got = to.String(); anchor != "" {
				got += "#" + anchor
			}
		}
		if got != c.want {
			t.Errorf("%q in %s leads to %q, want %q", c.target, c.from, got, c.want)
		}
	}
}

func TestLinks_HaveTheirSourcePosition(t *testing.T) {
	source := "# T\n\n- [a](b.md) and [[c|d]], [e][f]\n\n| x |\n|---|\n| <https://g.h> ![i](j.png) www.k.l [^1] |\n\n[f]: m.md\n"
	lines := strings.Split(source, "\n")
	var got []string
	d := Parse([]byte(source))
	for _, l := range d.Links() {
		got = append(got, fmt.Sprintf("%s:%d:%s", lines[l.Line][l.From:l.To], l.Kind, l.Target))
	}
	want := []string{"[a](b.md):0:b.md", "[[c|d]]:1:c", "[e][f]:0:m.md", "<https://g.h>:4:https://g.h", "![i](j.png):0:j.png", "www.k.l:4:https://www.k.l", "[^1]:3:^1", "m.md:0:m.md"}
	if !slices.Equal(got, want) {
		t.Errorf("links are\n%q, want\n%q", got, want)
	}
	if n := len(d.LinksOn(2)); n != 3 {
		t.Errorf("line 2 has %d links", n)
	}
	if n := len(d.LinksOn(3)); n != 0 {
		t.Errorf("line 3 has %d links", n)
	}
}

func TestLinks_HaveTheirScreenPosition(t *testing.T) {
	d := Parse([]byte("> 日 [some words](b.md) x\n\n|a|b|\n|-|-|\n|[[c]]|[[dd]]|\n"))
	for _, c := range []struct {
		width int
		want  string
	}{
		{60, "0:0:some words (b.md) 4:1:c 4:2:dd"},
		{14, "0:0:some 1:0:words (b.md) 6:1:c 6:2:dd"},
	} {
		l := d.Layout(c.width, true)
		var got []string
		for row := range l.Len() {
			line := ansi.Strip(string(l.Append(nil, row, pen())))
			for _, s := range l.Links(nil, row) {
				got = append(got, fmt.Sprintf("%d:%d:%s", row, s.Link, strings.TrimSpace(ansi.Cut(line, s.From, s.To))))
				if i, ok := l.LinkAt(row, s.To-1); !ok || i != s.Link {
					t.Errorf("link %d is not at the end of its place", s.Link)
				}
				if i, ok := l.LinkAt(row, s.To); ok && i == s.Link {
					t.Errorf("link %d goes on after its end", s.Link)
				}
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%d columns: %s, want %s", c.width, strings.Join(got, " "), c.want)
		}
	}
}

func TestChosen_IsHighlighted(t *testing.T) {
	l := Parse([]byte("[[a]] [[b]]")).Layout(20, true)
	p := pen()
	without := string(l.Append(nil, 0, p))
	p.Chosen = 1
	with := string(l.Append(nil, 0, p))
	if with == without || ansi.Strip(with) != ansi.Strip(without) || !strings.Contains(with, p.Styles.chosen+"b") {
		t.Errorf("chosen %q, else %q", with, without)
	}
}

func TestAnchor_ResolvesToItsLine(t *testing.T) {
	d := Parse([]byte("---\na: b\n---\n# What went *wrong*?\n\ntext[^1]\n\nSteps\n-----\n## Steps\n\n[^1]: note\n"))
	for name, want := range map[string]int{"what-went-wrong": 3, "#What went wrong?": 3, "steps": 7, "steps-1": 9, "^1": 11} {
		if line, ok := d.Anchor(name); !ok || line != want {
			t.Errorf("%q leads to line %d, %v; want %d", name, line, ok, want)
		}
		l := d.Layout(40, true)
		if row := l.RowOf(want, 0); l.LineOf(row) != want {
			t.Errorf("line %d is shown by row %d, of line %d", want, row, l.LineOf(row))
		}
	}
	if _, ok := d.Anchor("nowhere"); ok {
		t.Error("an anchor that is not there was found")
	}
}
