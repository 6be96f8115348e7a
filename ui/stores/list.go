package stores

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// common is what the three lists have in common: looks, size, and where one is in them.
type common struct {
	screen.Plain
	env      screen.Env
	open     versions.StoreID // is shown now
	readOnly bool
	now      time.Time
	w, h     int
	list.List
}

func (l *common) SetTheme(th *theme.Theme) { l.env.Theme = th }
func (l *common) SetNow(now time.Time)     { l.now = now }

// lister is a list whose cursor moves.
type lister interface {
	step(by int)
	listHeight() int
}

// moves are the actions that move the cursor of a list.
func moves[L lister]() []keys.Action[L] {
	return list.Moves(func(l L, by int) tea.Cmd { l.step(by); return nil }, L.listHeight)
}

// beginRow draws what row i begins with: the ground where the cursor is, and a sign
// where it is marked.
func (l *common) beginRow(dst []byte, q *draw.Pen, i int, sign string, marked bool, th *theme.Theme) []byte {
	if i == l.Cur {
		q.Base = th.Selected.On
	}
	q.Plain = q.Base != ""
	dst = append(dst, q.Base...)
	dst = q.Space(dst, 1)
	if marked {
		return q.Put(dst, sign+" ", th.Marked)
	}
	return q.Space(dst, 2)
}

// endRow fills a row.
func endRow(dst []byte, q *draw.Pen) []byte {
	dst = q.Space(dst, q.W)
	if q.Base != "" {
		dst = append(dst, text.Reset...)
	}
	return dst
}

// words narrow a list down to what holds them all.
type words struct {
	input  draw.Input
	typing bool
}

// in reports whether a text holds all words, in small or large letters.
func (w *words) in(parts ...string) bool {
	all := strings.ToLower(strings.Join(parts, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(w.input.Value)), func(word string) bool { return !strings.Contains(all, word) })
}

// narrowed is a list that words are typed for.
type narrowed interface {
	narrow() *words
	filter() // lists what holds the words
	step(by int)
	enter() tea.Cmd // once they are typed
}

// filterKeys are what the words obey while they are typed; all other keys are text.
func filterKeys(enter string) *keys.Map[narrowed] {
	return keys.New("filter", nil, []keys.Action[narrowed]{
		{ID: "open", Name: enter, Keys: []string{"enter"}, Do: func(l narrowed, _ int) tea.Cmd { l.narrow().typing = false; return l.enter() }},
		{ID: "clear", Name: "show all", Keys: []string{"esc", "ctrl+c"}, Do: func(l narrowed, _ int) tea.Cmd { showAll(l); return nil }},
		{ID: "down", Name: "down", Keys: []string{"down", "ctrl+n"}, Do: func(l narrowed, _ int) tea.Cmd { l.step(1); return nil }},
		{ID: "up", Name: "up", Keys: []string{"up", "ctrl+p"}, Do: func(l narrowed, _ int) tea.Cmd { l.step(-1); return nil }},
	})
}

// typed takes what is typed.
func typed(l narrowed, m *keys.Map[narrowed], msg tea.Msg) tea.Cmd {
	w := l.narrow()
	if !w.typing {
		return nil
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if cmd, r := m.Press(l, []string{k.String()}, 0); r == keys.Done {
			return cmd
		}
	}
	if w.input.Update(msg) {
		l.filter()
	}
	return nil
}

// showAll ends the typing and takes the words away.
func showAll(l narrowed) {
	*l.narrow() = words{input: draw.NewInput("")}
	l.filter()
}
