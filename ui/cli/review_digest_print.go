package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// digestForm prints a digest as text or as Markdown. What comes from agents (texts, paths, names, prompts) goes through quote or
// name, which let nothing in it be a control character, a link, a heading or HTML.
type digestForm struct {
	p        *console
	markdown bool
	store    string // its name
	asked    string // the value of --since
	begun    bool   // something was printed
}

// quoteCols is how much of a line of a memory or of a prompt is quoted.
const quoteCols = 72

// quote quotes a text. In Markdown it is a code span, in which nothing has a meaning, not even an address.
func (f *digestForm) quote(s string) string {
	if f.markdown {
		return codeSpan(text.Field(s))
	}
	return text.Field(s)
}

// line quotes the beginning of a text.
func (f *digestForm) line(s string) string {
	b, _ := text.ClipMore(nil, s, quoteCols)
	return f.quote(string(b))
}

// name quotes a name, unless it is only words: signs that mean nothing in Markdown are no reason.
func (f *digestForm) name(s string) string {
	if strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ,()", r)
	}) < 0 {
		return text.Field(s)
	}
	return f.quote(s)
}

// codeSpan returns a Markdown code span. Its fence is longer than any run of backticks in the text.
func codeSpan(s string) string {
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " " // Markdown takes one blank off each end
	}
	return fence + s + fence
}

func (f *digestForm) path(p memfs.Path) string { return f.quote(p.Tool()) }

// title begins the digest of a store.
func (f *digestForm) title(s string) {
	if f.markdown {
		s = "# " + s
	}
	f.block(s)
}

// section begins a part.
func (f *digestForm) section(s string) {
	if f.markdown {
		s = "## " + s
	}
	f.block(s)
	if f.markdown {
		f.p.println("")
	}
}

// block prints a line after an empty one.
func (f *digestForm) block(s string) {
	if f.begun {
		f.p.println("")
	}
	f.begun = true
	f.put(s)
}

// put prints a line. One of Markdown is not cut: it would lose the end of a code span.
func (f *digestForm) put(line string) {
	if f.markdown {
		f.p.println("%s", line)
	} else {
		f.p.printFitted("%s", line)
	}
}

func (f *digestForm) item(format string, args ...any) {
	mark := "  "
	if f.markdown {
		mark = "- "
	}
	f.put(mark + fmt.Sprintf(format, args...))
}

// more says how many are not listed, and which command lists them.
func (f *digestForm) more(n int, command string) {
	if n > 0 {
		f.item("and %d more: %s", n, f.quote(command))
	}
}

// command returns a command about the store.
func (f *digestForm) command(s string) string { return s + " -s " + shellWord(f.store) }

func (f *digestForm) print(d *digest, effects [][]effect) {
	since := when(d.since)
	if d.cut {
		since += ", only the newest " + plural(maxDigested, "version")
	}
	f.title("Store " + f.name(f.store) + " since " + since)
	f.decisions(d)
	shown, _ := d.shownSessions()
	same := map[string]int{}
	for _, s := range shown {
		same[f.heading(s, "")]++
	}
	for i, s := range shown {
		heading := f.heading(s, "")
		if same[heading] > 1 && s.Session != "" { // runs of one agent within a minute
			heading = f.heading(s, " session "+f.name(draw.ShortID(string(s.Session), 8)))
		}
		f.session(heading, s, effects[i])
	}
	if left := len(d.sessions) - len(shown); left > 0 {
		f.block("And " + plural(left, "session") + " more: " + f.quote(f.command("memend sessions --since "+shellWord(f.asked))))
	}
	var rest []string
	if len(d.sessions) == 0 {
		rest = append(rest, "No agent changed anything.")
	}
	if d.undone > 0 {
		rest = append(rest, draw.Plural(d.undone, "change of agents was", "changes of agents were")+" undone.")
	}
	if d.readers > 0 {
		rest = append(rest, plural(d.readers, "session")+" only read.")
	}
	if len(rest) > 0 {
		f.block(strings.Join(rest, " "))
	}
}

func (f *digestForm) decisions(d *digest) {
	if d.waiting == 0 {
		return
	}
	f.section("Needs a decision: " + strconv.Itoa(d.waiting))
	held, written := d.shownDecisions()
	for _, h := range held {
		to := ""
		if !h.To.IsRoot() {
			to = " to " + f.path(h.To)
		}
		f.item("held #%d, %s %s%s by %s%s", h.Number, h.Kind.Verb(), f.path(h.Path), to, f.name(actorName(h.By.Actor, false)), f.reason(heldReason(h)))
	}
	for _, m := range written {
		v := m.Last()
		f.item("%s %s by %s%s", wording.Did(v), f.path(m.Path()), f.name(actorName(v.Actor, v.Inferred)), f.reason(whyOf(m)))
	}
	f.more(d.waiting-len(held)-len(written), f.command("memend review"))
}

func (f *digestForm) reason(why string) string {
	if why == "" {
		return ""
	}
	return ": " + f.name(why)
}

// heldReason says in few words why a change waits.
func heldReason(h versions.Held) string {
	switch {
	case h.Inputs != 0:
		return "after " + h.Inputs.String()
	case h.Earlier != nil:
		return fmt.Sprintf("was rejected as #%d", h.Earlier.Number)
	}
	return h.Rule
}

// heading says when a session, which may be named, did how much.
func (f *digestForm) heading(d *sessionDigest, named string) string {
	var counts []string
	for _, c := range []struct {
		did string
		n   int
	}{{learned, len(d.learned)}, {changed, len(d.changed)}, {forgot, len(d.forgotten)}} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", c.did, c.n))
		}
	}
	return when(d.last().Time) + " " + f.name(actorName(d.Actor, d.Inferred)) + named + ": " + strings.Join(counts, ", ")
}

func (f *digestForm) session(heading string, d *sessionDigest, effects []effect) {
	f.section(heading)
	if d.prompt != "" {
		f.item("asked: %s", f.line(d.prompt))
	}
	for i := range effects {
		f.effect(&effects[i])
	}
	f.more(d.count()-len(effects), f.command(d.rest(f.asked)))
}

// rest is the command that lists everything that the session did.
func (d *sessionDigest) rest(since string) string {
	if d.Session == "" {
		return "memend log --stat --since " + shellWord(since) + " --actor " + shellWord(d.Actor.String())
	}
	return "memend log --stat --session " + shellWord(string(d.Session))
}

func (f *digestForm) effect(e *effect) {
	what := "a redacted memory"
	if !e.path.IsRoot() {
		what = f.path(e.path)
	}
	if counts := draw.LineCounts(e.added, e.removed); counts != "" {
		what += " " + counts
	}
	if !e.from.IsRoot() {
		what += ", renamed from " + f.path(e.from)
	}
	switch {
	case e.note != "":
		what += ": " + e.note
	case e.line != "" && e.gone:
		what += ", without: " + f.line(e.line)
	case e.line != "":
		what += ": " + f.line(e.line)
	}
	f.item("%s %s", e.did, what)
}

// actorName names who acted, as the screens do.
func actorName(a versions.Actor, inferred bool) string {
	if a.Kind == versions.Outside {
		return "another program"
	}
	return maker(a, inferred)
}

// last returns the newest version that the session made.
func (d *sessionDigest) last() (v versions.Version) {
	for _, m := range d.Memories {
		if m.Last().Change > v.Change {
			v = m.Last()
		}
	}
	return v
}
