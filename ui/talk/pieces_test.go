package talk

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
)

func TestInlineDiff_WrapsLongLines(t *testing.T) {
	t.Parallel()
	th := theme.New(true, theme.Many)
	d := compare([]byte("a\n"), []byte("a\nthe limit is fifty euros in each case\n"))
	rows := func(f fold) (out []string) {
		for n := range d.height(f, 20) {
			out = append(out, strings.TrimRight(ansi.Strip(string(d.append(nil, n, 20, f, th, nil))), " "))
		}
		return out
	}
	for _, f := range []fold{brief, open} {
		if got := strings.Join(rows(f), "/"); got != "  a/+ the limit is fifty/+ euros in each case" || !d.goesOn(2, f) || d.goesOn(1, f) {
			t.Errorf("with fold %d it is %s", f, got)
		}
	}
	long := compare(nil, []byte(strings.Repeat("the limit is fifty euros ", 20)))
	if n := long.height(brief, 20); n != briefRows+1 || !strings.Contains(ansi.Strip(string(long.append(nil, briefRows, 20, brief, th, nil))), "more rows") {
		t.Errorf("a long line has %d rows before it is unfolded", n)
	}
	if got := d.rowsFound(&find{text: "euros"}); len(got) != 1 || got[0] != 2 {
		t.Errorf("it is found in rows %v", got)
	}
	if d.height(open, 60) != 2 {
		t.Errorf("where there is room, it has %d rows", d.height(open, 60))
	}
}
