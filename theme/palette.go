package theme

// ink is one colour: its value where there are many colours (near one of the 256,
// so that a terminal with that many shows it as meant), and which of the
// sixteen stands for it where there are not. Sixteen are chosen by hand, because
// the nearest by distance is often far off in brightness. The zero ink is the
// terminal's own colour.
type ink struct {
	rgb string // #rrggbb
	of  string // "0" to "15"
}

// palette is every colour of one look. The terminal's own foreground and
// background are left alone, so that the program looks at home in it.
type palette struct {
	paper string // the background that contrast is judged against

	accent ink // the one accent: focus, titles, keys
	dim    ink // what can be overlooked: ages, sizes, hints
	faint  ink // lines and numbers
	green  ink
	red    ink
	yellow ink
	blue   ink
	purple ink
	cyan   ink

	onBar     ink // text on the bars below
	bar       ink // the row of the cursor
	barDim    ink // the same in a pane without focus
	status    ink // the status line
	chosen    ink // selected text
	flash     ink // a line that has just changed
	match     ink // text found
	matchNow  ink // the hit where the search stands
	onMatch   ink // text on both
	added     ink // a line added, the whole of it
	removed   ink
	addedW    ink // the words added in it
	removedW  ink
	onTint    ink // text on the tints
	onAdded   ink // text of an added line, where the tint is faint
	onRemoved ink
}

var dark = palette{
	paper:  "#1c1c1c",
	accent: ink{"#87afff", "12"},
	dim:    ink{"#949494", "7"},
	faint:  ink{"#626262", "8"},
	green:  ink{"#87d787", "10"},
	red:    ink{"#ff8787", "9"},
	yellow: ink{"#d7af5f", "11"},
	blue:   ink{"#87afd7", "12"},
	purple: ink{"#af87d7", "13"},
	cyan:   ink{"#5fafaf", "14"},

	onBar:     ink{"#ffffff", "15"},
	bar:       ink{"#005f87", "4"},
	barDim:    ink{"#3a3a3a", "8"},
	status:    ink{"#262626", "0"},
	chosen:    ink{"#005f87", "4"},
	flash:     ink{"#4e4e4e", "0"},
	match:     ink{"#d7af5f", "3"},
	matchNow:  ink{"#ffaf5f", "11"},
	onMatch:   ink{"#121212", "0"},
	added:     ink{"#1c2f22", ""},
	removed:   ink{"#3a2222", ""},
	addedW:    ink{"#005f00", ""},
	removedW:  ink{"#870000", ""},
	onTint:    ink{"#e4e4e4", "15"},
	onAdded:   ink{"#d7ffd7", "10"},
	onRemoved: ink{"#ffd7d7", "9"},
}

var light = palette{
	paper:  "#ffffff",
	accent: ink{"#2456c4", "4"},
	dim:    ink{"#5c6370", "8"},
	faint:  ink{"#8a909c", "7"},
	green:  ink{"#1f7a33", "2"},
	red:    ink{"#b3261e", "1"},
	yellow: ink{"#875a00", "3"},
	blue:   ink{"#1f5fb0", "4"},
	purple: ink{"#7a3fb0", "5"},
	cyan:   ink{"#0f6f75", "6"},

	onBar:     ink{"#10203f", "15"},
	bar:       ink{"#afd7ff", "4"},
	barDim:    ink{"#e4e4e4", "8"},
	status:    ink{"#eeeeee", "15"},
	chosen:    ink{"#afd7ff", "4"},
	flash:     ink{"#ffffaf", "15"},
	match:     ink{"#ffd787", "3"},
	matchNow:  ink{"#ffaf5f", "11"},
	onMatch:   ink{"#1a1a1a", "0"},
	added:     ink{"#d7ffd7", ""},
	removed:   ink{"#ffd7d7", ""},
	addedW:    ink{"#87d787", ""},
	removedW:  ink{"#ff8787", ""},
	onTint:    ink{"#1f2430", "0"},
	onAdded:   ink{"#1f2430", "2"},
	onRemoved: ink{"#1f2430", "1"},
}
