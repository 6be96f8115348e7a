package theme

// ink is one colour: its value where there are many colours, and which of the
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

	onBar    ink // text on the bars below
	bar      ink // the row of the cursor
	barDim   ink // the same in a pane without focus
	status   ink // the status line
	chosen   ink // selected text
	flash    ink // a line that has just changed
	match    ink // text found
	matchNow ink // the hit where the search stands
	onMatch  ink // text on both
	added    ink // a line added, the whole of it
	removed  ink
	addedW   ink // the words added in it
	removedW ink
	onTint   ink // text on the six tints: chosen, flash, added, removed, and words
}

var dark = palette{
	paper:  "#16181d",
	accent: ink{"#7aa2f7", "12"},
	dim:    ink{"#8b92a5", "7"},
	faint:  ink{"#5a6172", "8"},
	green:  ink{"#8fbf7f", "10"},
	red:    ink{"#f08a8a", "9"},
	yellow: ink{"#d9b26f", "11"},
	blue:   ink{"#89b4e8", "12"},
	purple: ink{"#bfa0e8", "13"},
	cyan:   ink{"#7fc4c4", "14"},

	onBar:    ink{"#ffffff", "15"},
	bar:      ink{"#2f4470", "4"},
	barDim:   ink{"#2a2e38", "8"},
	status:   ink{"#242832", "0"},
	chosen:   ink{"#38466b", "4"},
	flash:    ink{"#3d3a22", "0"},
	match:    ink{"#c8a24a", "3"},
	matchNow: ink{"#ffb454", "11"},
	onMatch:  ink{"#101216", "0"},
	added:    ink{"#1d2f22", ""},
	removed:  ink{"#36211f", ""},
	addedW:   ink{"#2f5f3a", ""},
	removedW: ink{"#6e3331", ""},
	onTint:   ink{"#e6e9f0", "15"},
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

	onBar:    ink{"#10203f", "15"},
	bar:      ink{"#c9dafc", "4"},
	barDim:   ink{"#e6e8ed", "8"},
	status:   ink{"#eceef2", "15"},
	chosen:   ink{"#cfdcf8", "4"},
	flash:    ink{"#fff4c2", "15"},
	match:    ink{"#ffe08a", "3"},
	matchNow: ink{"#ffb84d", "11"},
	onMatch:  ink{"#1a1a1a", "0"},
	added:    ink{"#e3f5e6", ""},
	removed:  ink{"#fde8e6", ""},
	addedW:   ink{"#b4e3bd", ""},
	removedW: ink{"#f7c4bf", ""},
	onTint:   ink{"#1f2430", "0"},
}
