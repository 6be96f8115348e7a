package wording

import (
	"fmt"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
)

// Tone is the meaning of a line for the user.
type Tone uint8

const (
	Plain  Tone = iota
	Good        // the text is gone
	Bad         // the text is still somewhere
	Open        // not known yet
	Doubt       // can't be determined
	Listed      // an entry of the line above
	Aside       // additional information
)

// Line is one line of a receipt: a clause without a capital letter or a full stop.
type Line struct {
	Text string
	Tone Tone
}

// Outcomes are the descriptions of a redaction's outcome.
var Outcomes = map[versions.Outcome]string{
	versions.OutcomeGone:    "gone",
	versions.OutcomeStillIn: "NOT gone",
	versions.OutcomePending: "not finished",
	versions.OutcomeUnknown: "unknown",
}

// Receipt describes what a redaction erased, and what the search afterwards found.
func Receipt(r versions.Receipt) []Line {
	out := erased(r)
	say := func(tone Tone, format string, values ...any) {
		out = append(out, Line{fmt.Sprintf(format, values...), tone})
	}
	if n := r.ErasedUpstream; n > 0 {
		say(Plain, "the service erased %s", count(n, "version"))
	}
	if n := r.GoneUpstream; n > 0 {
		say(Plain, "the service no longer had %s", count(n, "version"))
	}
	if n := r.LeftUpstream; n > 0 {
		why := ""
		if r.WhyUpstream != "" {
			why = ": " + r.WhyUpstream
		}
		say(Bad, "the service has not erased %s%s", count(n, "version"), why)
	}
	for _, place := range r.Places {
		say(Plain, "erased or masked: %s", place)
	}
	if r.Drafts > 0 {
		say(Plain, "erased %s", count(r.Drafts, "unsaved text"))
	}
	if r.Copies > 0 {
		say(Plain, "erased %s", draw.Plural(r.Copies, "editor copy", "editor copies"))
	}
	if r.Masked > 0 {
		say(Plain, "masked %s in conversations with agents", count(r.Masked, "text"))
	}
	switch r.Folder {
	case versions.FolderRemoved:
		say(Plain, "removed its folder, which memend created")
	case versions.FolderLeft:
		say(Plain, "kept its folder and the memories in it")
	}
	return append(out, found(r)...)
}

// erased describes what was erased, one line for each store.
func erased(r versions.Receipt) (out []Line) {
	parts := r.Parts
	if len(parts) == 0 {
		parts = []versions.Part{{ID: r.ID, Name: r.Name, Versions: r.Versions, Deletions: r.Deletions, Change: r.Change}}
	}
	for _, part := range parts {
		if part.ID == 0 {
			continue
		}
		versions := "no version"
		if n := part.Versions - part.Deletions; n > 0 {
			versions = count(n, "version")
		}
		out = append(out, Line{fmt.Sprintf("erased %s of store %s (receipt %d)", versions, part.Name, part.ID), Plain})
		switch {
		case part.Deletions == 1:
			out = append(out, Line{fmt.Sprintf("change %d deleted the memory, and that version was erased too", part.Change), Listed})
		case part.Deletions > 1:
			out = append(out, Line{fmt.Sprintf("change %d deleted the memories, and those %d versions were erased too", part.Change, part.Deletions), Listed})
		case part.Change > 0:
			out = append(out, Line{fmt.Sprintf("change %d removed it from current memories", part.Change), Listed})
		}
	}
	return out
}

// found describes what the search after a redaction found.
func found(r versions.Receipt) (out []Line) {
	say := func(tone Tone, format string, values ...any) {
		out = append(out, Line{fmt.Sprintf(format, values...), tone})
	}
	searched := fmt.Sprintf("in %s (%s)", count(r.Files, "file"), units.Bytes(r.Bytes))
	if r.Windows > 0 {
		searched = fmt.Sprintf("of %s found %s", count(r.Windows, "fragment"), searched)
	} else {
		searched = "found " + searched
	}
	switch {
	case r.Outcome == versions.OutcomeGone:
		say(Good, "gone: none %s", searched)
	case r.Outcome == versions.OutcomePending && r.LeftUpstream > 0:
		say(Open, "not finished: the request is repeated each time a command syncs the store")
	case r.Outcome == versions.OutcomePending:
		say(Open, "not finished: another program is reading the trail; the rest is done when memend is next started or changes something")
	case r.Outcome == versions.OutcomeStillIn && r.Seen > 0:
		say(Bad, "NOT gone: %d %s; still in:", r.Seen, searched)
	case r.Outcome == versions.OutcomeStillIn:
		say(Bad, "NOT gone; still in:")
	default:
		say(Doubt, "unknown: none %s, but not everything could be searched:", searched)
	}
	for _, h := range r.Found {
		say(Listed, "%s", holding(h))
	}
	if r.More > 0 {
		say(Listed, "… and %d more", r.More)
	}
	if r.Outcome == versions.OutcomeStillIn && len(r.Unknown) == 0 && r.Windows == 0 {
		say(Aside, "other files were not searched for it: what is listed here holds all of it")
	}
	for _, why := range r.Unknown {
		say(Listed, "not searched: %s", why)
	}
	if r.Outcome == versions.OutcomePending {
		return out
	}
	if r.Short > 0 {
		say(Aside, "%s too short or too uniform for fragments: searched for as a whole, and not in the unused parts of the database", count(r.Short, "text"))
	}
	return append(out, Line{versions.Beyond, Aside})
}

// holding describes what still contains a text, and how much of it.
func holding(h versions.Holding) string {
	var what string
	switch {
	case h.Current:
		what = fmt.Sprintf("%s:%s, current (%s)", h.Store, h.Path, h.Version)
	case h.Version != "":
		what = fmt.Sprintf("%s:%s, an older version (%s)", h.Store, h.Path, h.Version)
	case h.Place != "":
		what = h.Place
	default:
		what = h.File
	}
	switch {
	case h.All:
		return what + ": the same content"
	case h.Matches == 1:
		return what + ": found once"
	case h.Matches > 0:
		return fmt.Sprintf("%s: found %d times", what, h.Matches)
	case h.Windows > 0:
		return what + ": " + count(h.Windows, "fragment")
	}
	return what
}

func count(n int, word string) string { return draw.Plural(n, word, word+"s") }
