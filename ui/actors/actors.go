// Package actors says how those who change memories are named on screens and in tables.
// The names come from outside: they are safe to draw only through ui/text.
package actors

import (
	"strings"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Name is an actor's name as people know it: the title of an agent that is known, else the
// one that the agent's client sent, else the name that is recorded. What a client sent
// can't replace the title of a known agent, which is the same in every trail.
func Name(a versions.Actor) string {
	if a.Kind != versions.Agent {
		return a.String()
	}
	if known := clients.Titled(a.Name); known != a.Name || a.Title == "" {
		return known
	}
	return a.Title
}

// Fitting is a name for a column of a width: where it is too wide for it, it goes without
// the version of the client.
func Fitting(name string, width int) string {
	if at := strings.LastIndexByte(name, ' ') + 1; at > 0 && at < len(name) && name[at] >= '0' && name[at] <= '9' && text.Width(text.Field(name)) > width {
		return name[:at-1]
	}
	return name
}

// Word is an actor as a word of a filter: in small letters, without blanks.
func Word(a versions.Actor) string {
	return strings.ToLower(strings.ReplaceAll(Short(a), " ", ""))
}

// Called reports whether a part of an actor's name, as it is shown or as it is recorded, is
// a word of a filter.
func Called(a versions.Actor, word string) bool {
	return strings.Contains(Word(a), word) || strings.Contains(strings.ToLower(strings.ReplaceAll(a.Name, " ", "")), word)
}

// Short is an actor's name where there is little room: without its kind, and of the ids
// of keys, which are long, without the part that all have.
func Short(a versions.Actor) string {
	if a.Name == "" || a.Kind == versions.Outside {
		return string(a.Kind)
	}
	if id, ok := strings.CutPrefix(a.Name, "apikey_"); ok && id != "" && a.Kind == versions.APIKey {
		return "key " + id
	}
	return Name(a)
}

// ShortInferred is Short, with a sign before it where it was inferred who it was.
func ShortInferred(a versions.Actor, inferred bool) string {
	if inferred {
		return InferredSign + Short(a)
	}
	return Short(a)
}

// Sign is the kind of an actor in one column.
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

// Signed is an actor behind the sign of its kind; the name is not safe to draw.
func Signed(a versions.Actor) string { return Sign(a.Kind) + " " + Short(a) }

// InferredSign marks what was inferred and not seen.
const InferredSign = "≈"

// Maker is Signed for who made a version or a change, with another sign where that was
// inferred from what an agent reported of its calls.
func Maker(a versions.Actor, inferred bool) string {
	if inferred {
		return InferredSign + " " + Short(a)
	}
	return Signed(a)
}
