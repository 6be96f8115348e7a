package tree

import (
	"slices"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	typing "github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// filtering is the filter that is requested, and the rows below the tree in which it is typed.
type filtering struct {
	filter
	input  *typing.Line
	actors []string // names that it offers, loaded when it is opened
}

// minWords is the height from which completions are shown.
const minWords = 8

// height returns the rows in a pane of h: one for a filter, and one more for its completions.
func (f *filtering) height(h int) int {
	switch {
	case h <= 1 || !f.input.On() && f.query == "":
		return 0
	case f.input.On() && f.problem == "" && h >= minWords:
		return typing.Rows
	}
	return 1
}

// problemLines returns what is wrong with the filter, which is shown above it, because
// there is no room beside it in a narrow frame.
func (f *filtering) problemLines(w, h int) []string {
	const most = 4
	if f.problem == "" || h < minWords {
		return nil
	}
	return text.Rows(f.problem, max(w-2, 1), most)
}

// draw draws the filter, and in row 1 above it the completions of its last word.
func (f *filtering) draw(dst []byte, y, w int, th *theme.Theme) []byte {
	if f.input.On() {
		return f.input.Append(text.Spaces(dst, min(w, 1)), y, max(w-1, 0), "", th)
	}
	p := draw.NewRow(dst, w)
	p.Space(1)
	p.Put("/ ", th.HintKey)
	p.Put(f.query, th.Input)
	return p.End()
}

// candidates returns the completions of a word.
func (f *filtering) candidates(word string) []string {
	field, value, ok := strings.Cut(word, ":")
	if !ok {
		return typing.Starting(fields[:offered], word)
	}
	var values []string
	switch field {
	case "is":
		values = stateNames()
	case "by":
		values = slices.Concat([]string{"me"}, kinds, f.actors)
	case "since":
		values = []string{"today", "yesterday", "1h", "2d", "1w"}
	case "until":
		values = []string{"yesterday", "1h", "2d", "1w"}
	case "newer", "older", "unread":
		values = []string{"1d", "1w", "3mo"}
	case "larger", "smaller":
		values = []string{"1k", "10k", "100k"}
	}
	return typing.Values(field, value, values)
}

var kinds = []string{string(versions.Agent), string(versions.Person), string(versions.Outside), string(versions.APIKey)}

// writers returns the names of those who wrote the current memories.
func (d *Data) writers() []string {
	known := map[versions.Actor]bool{}
	var names []string
	for i := range d.Entries {
		a := d.Entries[i].Actor
		if known[a] {
			continue
		}
		known[a] = true
		if name := actors.Word(a); a.Name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
