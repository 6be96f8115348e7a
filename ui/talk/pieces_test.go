package talk

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
)

func TestInlineDiff_WrapsLongLinesWhenUnfolded(t *testing.T) {
	t.Parallel()
	th := theme.New(true, theme.Many)
	d := compare([]byte("a\n"), []byte("a\nthe limit is fifty euros in each case\n"))
	rows := func(f fold) (out []string) {
		for n := range d.height(f, 20) {
			out = append(out, strings.TrimRight(ansi.Strip(string(d.append(nil, n, 20, f, th, nil))), " "))
		}
		return out
	}
	if got := strings.Join(rows(brief), "/"); got != "  a/+ the limit is fift…" {
		t.Errorf("folded it is %s", got)
	}
	if got := strings.Join(rows(open), "/"); got != "  a/+ the limit is fifty/+ euros in each case" || !d.goesOn(2, open) || d.goesOn(1, open) {
		t.Errorf("unfolded it is %s", got)
	}
	if got := d.rowsFound(&find{text: "euros"}); len(got) != 1 || got[0] != 2 {
		t.Errorf("it is found in rows %v", got)
	}
	if d.height(open, 60) != 2 {
		t.Errorf("where there is room, it has %d rows", d.height(open, 60))
	}
}
