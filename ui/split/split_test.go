package split

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/text"
)

// fake is an owner with ten rows below two others.
type fake struct {
	*Split
	cols  int
	title string
}

func (f *fake) Rows() int           { return 10 }
func (f *fake) Cols() int           { return f.cols }
func (f *fake) Heading(int) bool    { return false }
func (f *fake) Facts() []Fact       { return nil }
func (f *fake) DetailTitle() string { return f.title }
func (f *fake) Moved() tea.Cmd      { return nil }
func (f *fake) RowsAbove() int      { return 2 }

func (f *fake) AppendRow(dst []byte, i, w int) []byte {
	row, _ := f.Row(dst, i, w)
	return row.End()
}

func (f *fake) AppendAbove(dst []byte, _, w int) []byte { return text.Spaces(dst, w) }

func newFake(t *testing.T, w, h, cols int) *fake {
	env := screentest.Env(t.Context())
	f := &fake{cols: cols, title: "x"}
	f.Split = New(env.Theme, env.Keys, f)
	f.Above = f
	f.Diff.Show(diffview.Compare("/a.md", []byte("one\n"), []byte("two\n")))
	f.SetSize(w, h)
	return f
}

// list returns the columns of the list beside the detail.
func (f *fake) list() int {
	row, _, _ := strings.Cut(strings.Split(ansi.Strip(f.View()), "\n")[2], "│")
	return text.Width(row)
}

func TestList_GetsTheColumnsThatItsRowsNeed(t *testing.T) {
	for _, c := range []struct {
		w, cols int
		slim    bool
		want    int
	}{
		{120, 30, false, 54}, {120, 60, false, 60}, {120, 90, false, 66},
		{120, 30, true, 30}, {120, 90, true, 66},
	} {
		f := newFake(t, c.w, 20, c.cols)
		f.Slim = c.slim
		if got := f.list(); got != c.want {
			t.Errorf("%+v: the list has %d columns", c, got)
		}
	}
}

func TestMouse_TakesTheBorderOnlyWhereItIs(t *testing.T) {
	for y, want := range map[int]int{0: 54, 1: 54, 2: 70, 19: 70} {
		f := newFake(t, 120, 20, 30)
		f.Update(tea.MouseClickMsg{X: 54, Y: y, Button: tea.MouseLeft})
		f.Update(tea.MouseMotionMsg{X: 70, Y: 9, Button: tea.MouseLeft})
		if got := f.list(); got != want {
			t.Errorf("dragged from row %d, the list has %d columns, want %d", y, got, want)
		}
	}
}

func TestTitle_KeepsTheEndOfAPath(t *testing.T) {
	for title, want := range map[string]string{
		"/folder/name.md":                              "── /folder/name.md ──",
		"/a/very/long/name/of/a/folder/end.md":         "/folder/end.md ",
		"renamed /a/very/long/name/of/one → /b/end.md": "/b/end.md ",
		"a title without a path that is too long":      "── a title without",
	} {
		f := newFake(t, 30, 20, 30)
		f.title = title
		if shown := ansi.Strip(f.View()); !strings.Contains(shown, want) {
			t.Errorf("%q is shown as %q", title, shown)
		}
	}
}

func TestFrame_FitsWithRowsAbove(t *testing.T) {
	for _, size := range [][2]int{{120, 20}, {30, 20}, {30, 5}, {5, 2}, {1, 1}} {
		f := newFake(t, size[0], size[1], 30)
		for _, f.InDetail = range []bool{false, true} {
			f.Fit()
			if problem := drawtest.Problem(f.View(), size[0], size[1]); problem != "" {
				t.Errorf("%v: %s", size, problem)
			}
		}
	}
}
