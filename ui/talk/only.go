package talk

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
)

// sorts are the sorts of blocks that one can ask for; a block may be of several, and
// none asked for stands for all.
type sorts uint8

const (
	texts sorts = 1 << iota
	thoughts
	calls
	contexts
	errs
)

// sortNames are in the order of their bits.
var sortNames = []string{"text", "thinking", "calls", "context", "errors"}

// sortsOf says which sorts a block is of. What happened to the session counts as
// context: from there on the model sees something else.
func sortsOf(it *item) sorts {
	switch it.kind {
	case promptItem, textItem:
		return texts
	case thinkingItem:
		return thoughts
	case callItem:
		if it.call.failed {
			return calls | errs
		}
		return calls
	case compactItem:
		if it.note != "" {
			return contexts | errs
		}
		return contexts
	}
	if it.tone == wrong || !it.retry.IsZero() {
		return errs
	}
	return contexts
}

func (s sorts) String() string {
	var names []string
	for i, name := range sortNames {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// hidden reports whether a block is of none of the sorts that were asked for.
func (v *View) hidden(i int) bool { return v.only != 0 && v.only&sortsOf(v.tr.items[i]) == 0 }

// nearest is the block nearest to i that shows, from i on in the direction by; -1
// where there is none.
func (v *View) nearest(i, by int) int {
	for ; i >= 0 && i < len(v.tr.items); i += by {
		if !v.hidden(i) {
			return i
		}
	}
	return -1
}

// showOnly asks for a sort of blocks beside those that show, or not any more: with
// the first all others are hidden, without any nothing is.
func (v *View) showOnly(s sorts) {
	v.only ^= s
	if v.only == texts|thoughts|calls|contexts|errs {
		v.only = 0
	}
	v.refit()
}

func (v *View) showAll() {
	v.only = 0
	v.refit()
}

// refit keeps the current block where it still shows, else the one nearest to it.
func (v *View) refit() {
	v.unseen, v.top.row = 0, 0
	if v.follow {
		return
	}
	i := v.nearest(v.cur, -1)
	if i < 0 {
		i = v.nearest(max(v.cur, 0), 1)
	}
	v.goTo(i)
}

func (v *View) whyAllShown() string {
	if v.only == 0 {
		return "all of it shows"
	}
	return ""
}

// onlyKeys choose what shows.
func onlyKeys() (out []keys.Action[*View]) {
	for i, key := range []string{"f t", "f h", "f c", "f x", "f e"} {
		s := sorts(1) << i
		out = append(out, action("only-"+sortNames[i], "only "+sortNames[i], func(v *View) tea.Cmd { v.showOnly(s); return nil }, nil, key))
	}
	return append(out, action("show-all", "show all sorts", func(v *View) tea.Cmd { v.showAll(); return nil }, (*View).whyAllShown, "f f", "f a"))
}
