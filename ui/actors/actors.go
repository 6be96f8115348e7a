// Package actors formats the names of actors for screens and tables. Names are untrusted:
// they must be drawn with ui/text.
package actors

import (
	"strings"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/policy"
)

// Name returns an actor's display name: the title of a known agent, else the title that the
// agent's client sent, else the recorded name. A title from a client can't replace that of
// a known agent, which is the same in every trail.
func Name(a versions.Actor) string {
	if a.Kind != versions.Agent {
		return a.String()
	}
	if known := policy.Titled(a.Name); known != a.Name || a.Title == "" {
		return known
	}
	return a.Title
}

// Fitting shortens a name for a column: if it is too wide, the version of the client is
// dropped.
func Fitting(name string, width int) string {
	if at := strings.LastIndexByte(name, ' ') + 1; at > 0 && at < len(name) && name[at] >= '0' && name[at] <= '9' && text.Width(text.Field(name)) > width {
		return name[:at-1]
	}
	return name
}

// Word returns an actor as a word of a filter: in lower case, without blanks.
func Word(a versions.Actor) string {
	return strings.ToLower(strings.ReplaceAll(Short(a), " ", ""))
}

// Named reports whether a pattern names an actor by its displayed or recorded name, as a rule of a
// policy does.
func Named(a versions.Actor, pattern string) bool {
	return policy.Named(pattern, a.Name, a.Title, Short(a))
}

// Called reports whether a part of an actor's displayed or recorded name is a word of a
// filter.
func Called(a versions.Actor, word string) bool {
	word = policy.Folded(word)
	return strings.Contains(policy.Folded(Short(a)), word) || strings.Contains(policy.Folded(a.Name), word)
}

// Short returns an actor's name for narrow places: without its kind, and for keys, whose
// ids are long, without the common prefix.
func Short(a versions.Actor) string {
	if a.Name == "" || a.Kind == versions.Outside {
		return string(a.Kind)
	}
	if id, ok := strings.CutPrefix(a.Name, "apikey_"); ok && id != "" && a.Kind == versions.APIKey {
		return "key " + id
	}
	return Name(a)
}

// ShortInferred is Short, with a sign before it if the actor is inferred.
func ShortInferred(a versions.Actor, inferred bool) string {
	if inferred {
		return InferredSign + Short(a)
	}
	return Short(a)
}

// Sign returns the kind of an actor in one column.
func Sign(k versions.ActorKind) string {
	switch k {
	case versions.Person:
		return "●"
	case versions.Agent:
		return "◇"
	case versions.APIKey:
		return "▪"
	}
	return "○"
}

// Signed returns an actor's name after the sign of its kind; the name is not safe to draw.
func Signed(a versions.Actor) string { return Sign(a.Kind) + " " + Short(a) }

// InSentence names who did something, as the subject of a sentence.
func InSentence(a versions.Actor, inferred bool) string {
	if a.Kind == versions.Outside {
		return "another program"
	}
	return ShortInferred(a, inferred)
}

// InferredSign marks what was inferred, not recorded.
const InferredSign = "≈"

// Maker is Signed for the actor of a version or a change, with another sign if the actor
// was inferred from an agent's report of its calls.
func Maker(a versions.Actor, inferred bool) string {
	if inferred {
		return InferredSign + " " + Short(a)
	}
	return Signed(a)
}
