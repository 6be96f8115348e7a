package redact

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
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
		if info = outcomes[p.receipt.Outcome]; p.w < leastWords && p.receipt.Outcome == versions.OutcomeStillIn {
			info = "still in"
		}
		info += p.howFar()
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
	_, x = p.input.Append(nil, p.w-5, p.theme.Input)
	return x + 3, 1, true
}

// lines are what the screen says, each before it is wrapped.
func (p *Pane) lines() []line {
	var l lines
	l.theme = p.theme
	switch p.step {
	case asking:
		for range 3 { // the field stands there
			l.say("", l.theme.Text)
		}
		l.say("Every version that holds this text is erased, and every path that does. The text is shown here and kept nowhere.", l.theme.Text)
	case planning:
		l.say("", l.theme.Text)
		l.say("looking up what holds it…", l.theme.Dim)
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
	th := p.theme
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
	th := p.theme
	if p.err != nil {
		l.say(p.err.Error(), th.Error)
		return
	}
	if p.plan.Empty() {
		l.say("", th.Text)
		l.say("Nothing holds it.", th.Text)
		return
	}
	l.say("! Nothing brings back what is erased, undo neither.", th.Warn)
	if live := p.plan.Live(); len(live) > 0 {
		l.say("! "+draw.Plural(len(live), "memory holds it as it stands", "memories hold it as they stand")+":", th.Warn)
		l.item(p.headsLine(len(live)), th.Text)
	}
	l.say("", th.Text)
	l.say("To be erased", th.Heading)
	for _, v := range p.plan.Erase {
		l.item(p.versionLine(v), th.Text)
	}
	if len(p.plan.Kept) > 0 {
		l.say("", th.Text)
		l.say("Not part of this, though it holds the same", th.Heading)
		for _, v := range p.plan.Kept {
			l.item(p.versionLine(v), th.Dim)
		}
	}
	if n := p.plan.Unreadable; n > 0 {
		l.say(draw.Plural(n, "damaged content", "damaged contents")+" could not be read: `memtrail check` says more", th.Warn)
	}
	l.say("", th.Text)
	l.say(versions.Beyond, th.Dim)
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
	s := v.Path.String() + " v" + strconv.Itoa(v.Number) + " · " + draw.Actor(v.Actor)
	if ago := draw.Age(p.now, v.Time); ago != "" {
		s += " " + ago
	}
	if v.Store != "" && p.severalStores() {
		s += " · store " + v.Store
	}
	if v.Live {
		s += " · stands"
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
	versions.OutcomeGone: "gone", versions.OutcomeStillIn: "still in other places",
	versions.OutcomePending: "not finished", versions.OutcomeUnknown: "cannot tell",
}

func (p *Pane) receiptLines(l *lines) {
	th, r := p.theme, p.receipt
	l.say("", th.Text)
	l.say(fmt.Sprintf("Erased %s of store %s. Receipt %d.", draw.Plural(r.Versions-r.Deletions, "version", "versions"), r.Name, r.ID), th.Text)
	if n := r.ErasedThere; n > 0 {
		l.say("Its service says that it has erased "+draw.Plural(n, "version", "versions")+".", th.Text)
	}
	if n := r.DroppedThere; n > 0 {
		l.say("Its service no longer had "+draw.Plural(n, "version", "versions")+".", th.Text)
	}
	switch {
	case r.Deletions == 1:
		l.say(fmt.Sprintf("Change #%d deleted the memory, and that version was erased too.", r.Change), th.Text)
	case r.Deletions > 1:
		l.say(fmt.Sprintf("Change #%d deleted the memories, and those %d versions were erased too.", r.Change, r.Deletions), th.Text)
	case r.Change > 0:
		l.say(fmt.Sprintf("Change #%d took it out of what stood.", r.Change), th.Text)
	}
	if r.Drafts > 0 {
		l.say(fmt.Sprintf("%s that held it went too.", draw.Plural(r.Drafts, "unsaved text", "unsaved texts")), th.Text)
	}
	if r.Masked > 0 {
		l.say(fmt.Sprintf("%s in conversations with agents masked.", draw.Plural(r.Masked, "text", "texts")), th.Text)
	}
	l.say("", th.Text)
	switch r.Outcome {
	case versions.OutcomeGone:
		l.say(fmt.Sprintf("✓ Gone. %d pieces of it were looked for in %s (%s), and none was found.", r.Windows, draw.Plural(r.Files, "file", "files"), draw.Bytes(r.Bytes)), th.Good)
	case versions.OutcomeStillIn:
		l.say("! Still in other places:", th.Error)
	case versions.OutcomePending:
		l.say("… Not finished: somebody reads the trail. Whoever opens the home or writes next goes on.", th.Warn)
	default:
		l.say("? Cannot tell:", th.Warn)
	}
	for _, h := range r.Found {
		l.item(holding(h), th.Text)
	}
	if r.More > 0 {
		l.item(fmt.Sprintf("… and %d more", r.More), th.Dim)
	}
	switch {
	case r.Outcome == versions.OutcomeStillIn && len(r.Unknown) > 0:
		l.say("? Cannot tell besides:", th.Warn)
	case r.Outcome == versions.OutcomeStillIn && r.Windows == 0:
		l.say("Other files were not searched for it: what is named here holds all of it.", th.Dim)
	}
	for _, why := range r.Unknown {
		l.item(why, th.Text)
	}
	if p.err != nil {
		l.say(p.err.Error(), th.Error)
	}
	l.say("", th.Text)
	l.say(versions.Beyond, th.Dim)
}

// holding says what holds it still, and how much of it.
func holding(h versions.Holding) string {
	much := draw.Plural(h.Windows, "piece", "pieces") + " of it"
	if h.All {
		much = "all of it"
	}
	switch {
	case h.Live:
		return h.Path + " as it stands · store " + h.Store + " · " + much
	case h.Version != "":
		return h.Path + ", an older version · store " + h.Store + " · " + string(h.Version) + " · " + much
	}
	return h.File + " · " + much
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
			dst = append(p.theme.HintKey.Append(append(dst, ' '), "›"), ' ')
			dst, _ = p.input.Append(dst, p.w-5, p.theme.Input)
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
