package redact

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// line is one line of the screen, wrapped where it is too long.
type line struct {
	text  string
	style theme.Style
	lead  int // columns before it
}

// hang is how much further in the rows stand that follow the first: beside the sign
// that it begins with, or below what is listed.
func (l line) hang() int {
	if l.lead > 1 {
		return 2
	}
	if sign, _, ok := strings.Cut(l.text, " "); ok && strings.Contains(signs, sign) {
		return 2
	}
	return 0
}

// signs are those that lines begin with.
const signs = "!✓…?"

// leastWords is how wide the screen is where its title speaks in whole sentences.
const leastWords = 48

// Title is what is erased, and how far that is.
func (p *Pane) Title() (name, info string) {
	name = "redact " + p.name
	switch p.step {
	case deciding:
		if p.plan.Empty() {
			break
		}
		info = draw.Plural(len(p.plan.Erase), "version", "versions")
		if p.w >= leastWords {
			info += " to erase"
		}
		info += p.howFar()
	case erasing:
		if info = "erasing…"; p.searching() {
			info = fmt.Sprintf("searching · %d%%", min(p.seen[0]*100/p.seen[1], 100))
		}
	case told:
		info = outcomes[p.receipt.Outcome] + p.howFar()
	}
	return name, info
}

// howFar is how much of what the screen says was seen, where it has no room for all.
func (p *Pane) howFar() string {
	if rows := len(p.rows); rows > p.h && p.h > 0 {
		return fmt.Sprintf(" · %d%%", min(p.top+p.h, rows)*100/rows)
	}
	return ""
}

// Cursor is in the text that is asked for.
func (p *Pane) Cursor() (x, y int, ok bool) {
	if p.step != asking || p.w < 8 || p.h < 2 {
		return 0, 0, false
	}
	_, x = p.input.Append(nil, p.w-5, p.env.Theme.Input)
	return x + 3, 1, true
}

// lines are what the screen says, each before it is wrapped.
func (p *Pane) lines() []line {
	var l lines
	l.theme = p.env.Theme
	switch p.step {
	case asking:
		for range 3 { // the field stands there
			l.say("", l.theme.Text)
		}
		l.say("Every version is erased whose text or path holds this text, and it is masked in names, descriptions and conversations. It is shown here and kept nowhere.", l.theme.Text)
	case planning:
		l.say("", l.theme.Text)
		l.say("searching for what holds it…", l.theme.Dim)
	case deciding:
		p.planLines(&l)
	case erasing:
		p.erasingLines(&l)
	case told:
		p.receiptLines(&l)
	}
	return l.all
}

func (p *Pane) erasingLines(l *lines) {
	th := p.env.Theme
	l.say("", th.Text)
	switch {
	case p.stopped:
		l.say("It is erased. The search for what is left is being stopped…", th.Text)
	case p.searching():
		l.say("It is erased. Now every file of the home and of the stores' folders is searched for what is left.", th.Text)
		l.say(fmt.Sprintf("searched %s of %s", draw.Bytes(p.seen[0]), draw.Bytes(p.seen[1])), th.Dim)
	default:
		l.say("Erasing, and then searching every file of the home and of the stores' folders for what is left.", th.Text)
	}
}

type lines struct {
	theme *theme.Theme
	all   []line
}

func (l *lines) say(s string, st theme.Style) { l.all = append(l.all, line{s, st, 1}) }
func (l *lines) item(s string, st theme.Style) {
	l.all = append(l.all, line{s, st, 3})
}

func (p *Pane) planLines(l *lines) {
	th := p.env.Theme
	if p.err != nil {
		l.say(p.err.Error(), th.Error)
		return
	}
	if p.plan.Empty() {
		l.say("", th.Text)
		l.say("Nothing is left to erase.", th.Text)
		return
	}
	l.say("! Redacted text can't be recovered, and undo can't restore it.", th.Warn)
	if live := p.plan.Live(); len(live) > 0 {
		l.say("! "+draw.Plural(len(live), "current memory holds it", "current memories hold it")+":", th.Warn)
		l.item(p.headsLine(len(live)), th.Text)
	}
	if len(p.plan.Erase) > 0 {
		l.say("", th.Text)
		l.say("To be erased", th.Heading)
	}
	for _, v := range p.plan.Erase {
		l.item(p.versionLine(v), th.Text)
	}
	l.places("To be erased or masked as well", p.plan.Places, false)
	l.places("Can't be changed by a redaction, though it holds it", p.plan.Places, true)
	if len(p.plan.Kept) > 0 {
		l.say("", th.Text)
		l.say("Not part of this, though it holds the same", th.Heading)
		for _, v := range p.plan.Kept {
			l.item(p.versionLine(v), th.Dim)
		}
	}
	if n := p.plan.Unreadable; n > 0 {
		l.say(draw.Plural(n, "damaged content", "damaged contents")+" could not be read: `memend check` says more", th.Warn)
	}
	l.say("", th.Text)
	l.say(versions.Beyond, th.Dim)
}

// places lists what holds the text besides versions.
func (l *lines) places(title string, places []versions.TextPlace, stay bool) {
	for _, place := range places {
		if place.Stays != stay {
			continue
		}
		if title != "" {
			l.say("", l.theme.Text)
			l.say(title, l.theme.Heading)
			title = ""
		}
		l.item(place.String(), l.theme.Text)
	}
}

// headsLine says what becomes of so many memories that stand, or what can.
func (p *Pane) headsLine(n int) string {
	it, are, get := "it", "is", "gets"
	if n > 1 {
		it, are, get = "them", "are", "get"
	}
	if !p.decided {
		s := "say what becomes of " + it + ": d deletes " + it + ", r replaces " + it
		if p.target.Match != nil {
			s += ", m masks the text"
		}
		if p.target.Memory != "" {
			s += ", p erases only the past"
		}
		return s
	}
	switch p.heads {
	case versions.HeadDelete:
		return "✓ " + are + " deleted first"
	case versions.HeadReplace:
		return "✓ " + get + " another text first: “" + strings.TrimSpace(p.text) + "”"
	case versions.HeadMask:
		return "✓ the text is masked first: “" + p.text + "”"
	}
	return "✓ stays as it is: only the past is erased"
}

func (p *Pane) versionLine(v versions.PlannedVersion) string {
	s := v.Path.String() + " v" + strconv.Itoa(v.Number) + " · " + actors.Short(v.Actor)
	if ago := draw.Age(p.now, v.Time); ago != "" {
		s += " " + ago
	}
	if v.Store != "" && p.severalStores() {
		s += " · store " + v.Store
	}
	if v.Live {
		s += " · current"
	}
	return s
}

// severalStores reports whether more than one store holds it.
func (p *Pane) severalStores() bool {
	first := ""
	for _, list := range [][]versions.PlannedVersion{p.plan.Erase, p.plan.Kept} {
		for _, v := range list {
			if first != "" && v.Store != first {
				return true
			}
			first = v.Store
		}
	}
	return false
}

var outcomes = map[versions.Outcome]string{
	versions.OutcomeGone: "gone", versions.OutcomeStillIn: "NOT gone",
	versions.OutcomePending: "not finished", versions.OutcomeUnknown: "cannot tell",
}

func (p *Pane) receiptLines(l *lines) {
	th, r := p.env.Theme, p.receipt
	l.say("", th.Text)
	switch {
	case r.ID != 0:
		l.erased(r)
	case len(p.plan.Kept) > 0:
		l.say("No version of this store holds it. Nothing was changed.", th.Text)
	default:
		l.say("No version holds it. Nothing was changed.", th.Text)
	}
	if n := r.ErasedThere; n > 0 {
		l.say("Its service says that it has erased "+draw.Plural(n, "version", "versions")+".", th.Text)
	}
	if n := r.DroppedThere; n > 0 {
		l.say("Its service no longer had "+draw.Plural(n, "version", "versions")+".", th.Text)
	}
	if n := r.LeftThere; n > 0 {
		s := "! Its service has not erased " + draw.Plural(n, "version", "versions")
		if r.WhyThere != "" {
			s += ": " + r.WhyThere
		}
		l.say(s+".", th.Warn)
	}
	for _, place := range r.Places {
		l.say("Masked: "+place.String()+".", th.Text)
	}
	if r.Drafts > 0 {
		l.say("Erased "+draw.Plural(r.Drafts, "unsaved text", "unsaved texts")+".", th.Text)
	}
	if r.Copies > 0 {
		l.say("Erased "+draw.Plural(r.Copies, "file", "files")+" that editors had.", th.Text)
	}
	if r.Masked > 0 {
		l.say("Masked "+draw.Plural(r.Masked, "text", "texts")+" in conversations with agents.", th.Text)
	}
	l.say("", th.Text)
	l.outcome(r)
	for _, h := range r.Found {
		l.item(holding(h), th.Text)
	}
	if r.More > 0 {
		l.item(fmt.Sprintf("… and %d more", r.More), th.Dim)
	}
	switch {
	case r.Outcome == versions.OutcomeStillIn && len(r.Unknown) > 0:
		l.say("? Not searched:", th.Warn)
	case r.Outcome == versions.OutcomeStillIn && r.Windows == 0:
		l.say("Other files were not searched for it: what is listed here holds all of it.", th.Dim)
	}
	for _, why := range r.Unknown {
		l.item(why, th.Text)
	}
	if p.err != nil {
		l.say(p.err.Error(), th.Error)
	}
	if r.Outcome == versions.OutcomePending {
		return
	}
	l.say("", th.Text)
	if r.Short > 0 {
		l.say(draw.Plural(r.Short, "text is", "texts are")+" too short or too plain for fragments: searched for as a whole, and not in the unused parts of the database.", th.Dim)
	}
	l.say(versions.Beyond, th.Dim)
}

// erased says what was erased, a line for each store.
func (l *lines) erased(r versions.Receipt) {
	parts := r.Parts
	if len(parts) == 0 {
		parts = []versions.Part{{ID: r.ID, Name: r.Name, Versions: r.Versions, Deletions: r.Deletions, Change: r.Change}}
	}
	for _, part := range parts {
		s := fmt.Sprintf("Erased %s of store %s. Receipt %d.", draw.Plural(part.Versions-part.Deletions, "version", "versions"), part.Name, part.ID)
		switch {
		case part.Deletions == 1:
			s += fmt.Sprintf(" Change #%d deleted the memory, and that version was erased too.", part.Change)
		case part.Deletions > 1:
			s += fmt.Sprintf(" Change #%d deleted the memories, and those %d versions were erased too.", part.Change, part.Deletions)
		case part.Change > 0:
			s += fmt.Sprintf(" Change #%d took it out of current memories.", part.Change)
		}
		l.say(s, l.theme.Text)
	}
}

// outcome says what the search found.
func (l *lines) outcome(r versions.Receipt) {
	th := l.theme
	files := fmt.Sprintf("in %s (%s)", draw.Plural(r.Files, "file", "files"), draw.Bytes(r.Bytes))
	fragments := draw.Plural(r.Windows, "fragment", "fragments")
	switch {
	case r.Outcome == versions.OutcomeGone && r.Windows == 0:
		l.say("✓ Gone: not found "+files+".", th.Good)
	case r.Outcome == versions.OutcomeGone:
		l.say("✓ Gone: none of "+fragments+" found "+files+".", th.Good)
	case r.Outcome == versions.OutcomeStillIn && r.Seen > 0:
		l.say(fmt.Sprintf("! NOT gone: %d of %s found %s. Still in:", r.Seen, fragments, files), th.Error)
	case r.Outcome == versions.OutcomeStillIn:
		l.say("! NOT gone. Still in:", th.Error)
	case r.Outcome == versions.OutcomePending && r.LeftThere > 0:
		l.say("… Not finished: the service is asked again each time that the store is synced.", th.Warn)
	case r.Outcome == versions.OutcomePending:
		l.say("… Not finished: another program is reading the trail. The rest is done when memend is next started or changes something.", th.Warn)
	default:
		l.say("? Cannot tell: nothing found "+files+", but not everything could be searched:", th.Warn)
	}
}

// holding says what holds it still, and how much of it.
func holding(h versions.Holding) string {
	var what string
	switch {
	case h.Live:
		what = h.Path + ", current · store " + h.Store
	case h.Version != "":
		what = h.Path + ", an older version · store " + h.Store + " · " + string(h.Version)
	case h.Place != "":
		what = h.Place
	default:
		what = h.File
	}
	switch {
	case h.All:
		return what + " · the same content"
	case h.Matches > 0:
		return what + " · " + draw.Plural(h.Matches, "match", "matches")
	case h.Windows > 0:
		return what + " · " + draw.Plural(h.Windows, "fragment", "fragments")
	}
	return what
}

// lay wraps the lines to the width: whenever they may have changed, so that a move
// and a frame cost no more where there are many.
func (p *Pane) lay() {
	out := p.rows[:0]
	for _, l := range p.lines() {
		if l.text == "" {
			out = append(out, l)
			continue
		}
		hang := l.hang()
		width := max(p.w-l.lead-hang-1, 1)
		starts := text.Wrap(nil, l.text, width, 0, 40)
		for i, from := range starts {
			to := len(l.text)
			if i+1 < len(starts) {
				to = starts[i+1]
			}
			lead := l.lead
			if i > 0 {
				lead = min(lead+hang, p.w)
			}
			out = append(out, line{strings.TrimSuffix(strings.TrimRight(l.text[from:to], " "), " ·"), l.style, lead})
		}
	}
	p.rows = out
	p.scroll(0)
}

func (p *Pane) scroll(d int) { p.top = max(min(p.top+d, len(p.rows)-p.h), 0) }

// View is exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	dst := make([]byte, 0, p.h*(p.w+16))
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		pen := draw.Pen{W: p.w}
		switch i := p.top + y; {
		case p.step == asking && y == 1 && p.w >= 8:
			dst = append(p.env.Theme.HintKey.Append(append(dst, ' '), "›"), ' ')
			dst, _ = p.input.Append(dst, p.w-5, p.env.Theme.Input)
			dst = text.Spaces(dst, 2)
			continue
		default:
			dst = p.row(dst, &pen, i)
		}
		dst = pen.Space(dst, p.w)
	}
	return string(dst)
}

func (p *Pane) row(dst []byte, pen *draw.Pen, i int) []byte {
	if i < 0 || i >= len(p.rows) {
		return dst
	}
	return pen.Put(pen.Space(dst, p.rows[i].lead), p.rows[i].text, p.rows[i].style)
}
