package theme

import "strconv"

// ink is one colour: its value, and which of 256 and of the sixteen stands for it
// where there are no more. Of sixteen all are chosen by hand, because the nearest
// by distance is often far off in brightness; of 256 those whose nearest is so,
// dark tints above all; the nearest stands for the others. The zero ink is the
// terminal's own colour.
type ink struct {
	rgb  string // #rrggbb, or the number of a colour of the terminal
	near string // "16" to "255", or empty
	of   string // "0" to "15"
}

// palette is every colour of one look. The terminal's own foreground and
// background are left alone, so that the program looks at home in it.
//
// What was added and what was removed are told apart by blue-green against
// orange: green against red is one colour to one man in twenty.
type palette struct {
	accent ink // the one accent: focus, titles, keys
	dim    ink // what can be overlooked: ages, sizes, hints
	faint  ink // lines and numbers
	green  ink
	red    ink
	orange ink
	yellow ink
	blue   ink
	purple ink
	cyan   ink

	onBar    ink // text on the bars below
	bar      ink // the row of the cursor
	barDim   ink // the same in a pane without focus
	status   ink // the status line
	chosen   ink // selected text
	flash    ink // a line that has just changed
	match    ink // text found
	matchNow ink // the hit where the search stands
	onMatch  ink // text on both
	onTint   ink // text on all tints but those of whole lines of a diff

	added       ink // signs and counts
	removed     ink
	addedLine   ink // a line added, the whole of it
	removedLine ink
	addedWord   ink // the words added in it
	removedWord ink
	onAdded     ink // text of an added line, where the tint is faint
	onRemoved   ink

	ours   ink // tints of the merge
	theirs ink
	base   ink
	result ink

	age  [4]ink // of a line, the newest first
	band [6]ink // sessions beside each other
}

// namedInk is a colour by the name that a theme file calls it.
type namedInk struct {
	name string
	ink  *ink
}

// inks lists the colours of the palette.
func (p *palette) inks() []namedInk {
	all := []namedInk{
		{"accent", &p.accent}, {"dim", &p.dim}, {"faint", &p.faint},
		{"green", &p.green}, {"red", &p.red}, {"orange", &p.orange}, {"yellow", &p.yellow}, {"blue", &p.blue}, {"purple", &p.purple}, {"cyan", &p.cyan},
		{"on_bar", &p.onBar}, {"bar", &p.bar}, {"bar_dim", &p.barDim}, {"status", &p.status}, {"chosen", &p.chosen}, {"flash", &p.flash},
		{"match", &p.match}, {"match_now", &p.matchNow}, {"on_match", &p.onMatch}, {"on_tint", &p.onTint},
		{"added", &p.added}, {"removed", &p.removed}, {"added_line", &p.addedLine}, {"removed_line", &p.removedLine},
		{"added_word", &p.addedWord}, {"removed_word", &p.removedWord}, {"on_added", &p.onAdded}, {"on_removed", &p.onRemoved},
		{"ours", &p.ours}, {"theirs", &p.theirs}, {"base", &p.base}, {"result", &p.result},
	}
	for i := range p.age {
		all = append(all, namedInk{"age_" + strconv.Itoa(i+1), &p.age[i]})
	}
	for i := range p.band {
		all = append(all, namedInk{"band_" + strconv.Itoa(i+1), &p.band[i]})
	}
	return all
}
