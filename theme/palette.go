package theme

import "strconv"

// ink is one colour: its value, and its replacements among 256 and sixteen colours. All of
// the sixteen are chosen by hand, because the nearest by distance often differs in
// brightness; of the 256 only those for which that applies, mainly dark tints; for the
// others the nearest is used. The zero ink is the terminal's default colour.
type ink struct {
	rgb  string // #rrggbb, or the number of a terminal colour
	near string // "16" to "255", or empty
	of   string // "0" to "15"
}

// palette holds every colour of a theme. The terminal's own foreground and background are
// kept.
//
// Added and removed lines are distinguished by blue-green and orange, because one man in
// twenty can't tell green from red.
type palette struct {
	accent ink // the only accent: focus, titles, keys
	dim    ink // secondary text: ages, sizes, hints
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
	match    ink // search hits
	matchNow ink // the current search hit
	onMatch  ink // text on both
	onTint   ink // text on all tints except those of whole lines of a diff

	added       ink // signs and counts
	removed     ink
	addedLine   ink // a whole added line
	removedLine ink
	addedWord   ink // the added words in it
	removedWord ink
	onAdded     ink // text of an added line, if the tint is faint
	onRemoved   ink

	ours   ink // tints of the merge
	theirs ink
	base   ink
	result ink

	age  [4]ink // of a line, the newest first
	band [6]ink // neighbouring sessions
}

// namedInk is a colour with its name in theme files.
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
