package markdown

import (
	"testing"

	"github.com/memend/memend/memfs"
)

func TestRelink_WritesALinkAsItWasWritten(t *testing.T) {
	t.Parallel()
	path := func(s string) memfs.Path {
		p, err := memfs.ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, test := range []struct {
		from, to, at string
		text, want   string
		links, left  int
	}{
		{"Target.md", "Renamed.md", "a.md", "see [[Target]] and [[Target|it]], [[target#h|x]]\n", "see [[Renamed]] and [[Renamed|it]], [[Renamed#h|x]]\n", 3, 0},
		{"Target.md", "Renamed.md", "a.md", "[x](Target.md) [y](./Target.md#h \"t\") [z](</memories/Target.md>) [w](/Target)", "[x](Renamed.md) [y](Renamed.md#h \"t\") [z](</memories/Renamed.md>) [w](/Renamed)", 4, 0},
		{"Target.md", "d/new name (1).md", "d/b.md", "[x](../Target.md) [y](<../Target.md>)\n![[Target]]\n", "[x](new%20name%20%281%29.md) [y](<new name (1).md>)\n![[new name (1)]]\n", 3, 0},
		{"d/my note.md", "e/my note.md", "a.md", "[x](d/my%20note.md) [y](<d/my note.md>) [[my note]] [[d/my note]]", "[x](e/my%20note.md) [y](<e/my note.md>) [[my note]] [[e/my note]]", 3, 0},
		{"d", "e/f", "a.md", "[x](d/b.md#top) [[d/b]] [other](Target.md)", "[x](e/f/b.md#top) [[e/f/b]] [other](Target.md)", 2, 0},
		{"Target.md", "Renamed.md", "a.md", "[x][t]\n\n[t]: Target.md\n", "[x][t]\n\n[t]: Renamed.md\n", 1, 0},
		{"Target.md", "Renamed.md", "a.md", "`[[Target]]` https://x.org/Target.md Target\n", "`[[Target]]` https://x.org/Target.md Target\n", 0, 0},
		{"Target.md", "a|b.md", "a.md", "[[Target]] [x](Target.md)\n", "[[Target]] [x](a|b.md)\n", 1, 1},
	} {
		var paths []memfs.Path
		for _, p := range []string{"Target.md", "a.md", "d/b.md", "d/my note.md"} {
			paths = append(paths, path(p))
		}
		out, links, left := NewMoving(path(test.from), path(test.to), paths).Relink(path(test.at), []byte(test.text))
		if string(out) != test.want || links != test.links || left != test.left {
			t.Errorf("%s to %s:\n%q, %d, %d\nwant\n%q, %d, %d", test.from, test.to, out, links, left, test.want, test.links, test.left)
		}
	}
}
