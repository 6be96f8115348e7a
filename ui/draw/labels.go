package draw

import (
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Bytes is a size in at most five columns: 812B, 1.2K, 340K, 1.2M.
func Bytes(n int64) string {
	const units = "BKMGTPE"
	u := 0
	f := float64(n)
	for f >= 999.5 && u < len(units)-1 {
		f /= 1024
		u++
	}
	prec := 0
	if u > 0 && f < 9.95 {
		prec = 1
	}
	return strconv.FormatFloat(f, 'f', prec, 64) + units[u:u+1]
}

// Age is how long ago t was, in at most four columns; empty when unknown.
func Age(now, t time.Time) string {
	if t.IsZero() || now.IsZero() {
		return ""
	}
	return text.Age(now.Sub(t))
}

// Name is an actor's name as people know it: the titles of agents that are known, for
// others the name that is recorded.
func Name(a versions.Actor) string {
	if a.Kind == versions.Agent {
		return clients.Titled(a.Name)
	}
	return a.String()
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
	return strings.ToLower(strings.ReplaceAll(Actor(a), " ", ""))
}

// Called reports whether a part of an actor's name, as it is shown or as it is recorded, is
// a word of a filter.
func Called(a versions.Actor, word string) bool {
	return strings.Contains(Word(a), word) || strings.Contains(strings.ToLower(strings.ReplaceAll(a.Name, " ", "")), word)
}

// Actor is how an actor is called on the screen; the name is not safe to
// draw. Of the ids of keys, which are long, the part is left out that all have.
func Actor(a versions.Actor) string {
	if a.Name == "" || a.Kind == versions.Outside {
		return string(a.Kind)
	}
	if id, ok := strings.CutPrefix(a.Name, "apikey_"); ok && id != "" && a.Kind == versions.APIKey {
		return "key " + id
	}
	return Name(a)
}

// ActorInferred is Actor, with a sign before it where it was concluded who it was.
func ActorInferred(a versions.Actor, inferred bool) string {
	if inferred {
		return Inferred + Actor(a)
	}
	return Actor(a)
}

// ActorSign is the kind of an actor in one column.
func ActorSign(k versions.ActorKind) string {
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
func Signed(a versions.Actor) string { return ActorSign(a.Kind) + " " + Actor(a) }

// Inferred is the sign of what was concluded and not seen.
const Inferred = "≈"

// Maker is Signed for who made a version or a change: with another sign where that was
// concluded from what an agent told of its calls.
func Maker(a versions.Actor, inferred bool) string {
	if inferred {
		return Inferred + " " + Actor(a)
	}
	return Signed(a)
}

// ShortID is the end of an id, where ids differ, in so many characters.
func ShortID(id string, most int) string {
	if _, after, ok := strings.Cut(id, "_"); ok && after != "" {
		id = after
	}
	if r := []rune(id); len(r) > most {
		return string(r[len(r)-most:])
	}
	return id
}

// Plural is "1 memory", "2 memories".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// HowFar says how far an act on a hosted store is: "12 of 300 memories sent".
func HowFar(p versions.Progress) string {
	of, n := string(p.Of), strconv.Itoa(p.Done)
	if p.Total > 0 {
		n += " of " + strconv.Itoa(p.Total)
	}
	if p.Total == 1 || p.Total == 0 && p.Done == 1 {
		of = strings.NewReplacer("memories", "memory", "versions", "version").Replace(of)
	}
	return n + " " + of
}

// Tokens estimates how many tokens a text of so many bytes is.
func Tokens(bytes int64) string {
	n := bytes / 4
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950: // what would be rounded to 1000.0k is a million
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + "k"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M"
}
