package redact

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// line is one line of the screen, wrapped if it is too long.
type line struct {
	text  string
	style theme.Style
	lead  int // columns before it
}

// hang returns the indentation of the rows after the first: after the sign at the beginning of
// the line, or of the list entry.
func (l line) hang() int {
	if l.lead > 1 {
		return 2
	}
	if sign, _, ok := strings.Cut(l.text, " "); ok && strings.Contains(signs, sign) {
		return 2
	}
	return 0
}

// signs are the signs at the beginning of lines.
const signs = "!✓…?"

// minWords is the width from which the title has whole sentences.
const minWords = 48

// Title returns what is redacted, and the state of the redaction.
func (p *Pane) Title() (name, info string) {
	name = "redact " + p.name
	switch p.step {
	case deciding:
		if p.plan.Empty() {
			break
		}
		info = draw.Plural(len(p.plan.Erase), "version", "versions")
		if p.w >= minWords {
			info += " to erase"
		}
		info += p.howFar()
	case erasing:
		if info = "erasing…"; p.searching() {
			info = fmt.Sprintf("searching · %d%%", min(p.seen[0]*100/p.seen[1], 100))
		}
	case finished:
		info = wording.Outcomes[p.receipt.Outcome] + p.howFar()
	}
	return name, info
}

// howFar returns how much of the content was visible, if it does not fit on the screen.
func (p *Pane) howFar() string {
	if rows := len(p.rows); rows > p.win.H && p.win.H > 0 {
		return fmt.Sprintf(" · %d%%", min(p.win.Top+p.win.H, rows)*100/rows)
	}
	return ""
}

// Cursor returns the cursor in the text that is typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	if p.step != asking || p.w < 8 || p.win.H < 2 {
		return 0, 0, false
	}
	_, x = p.input.Append(nil, p.w-5, p.env.Theme.Input)
	return x + 3, 1, true
}

// lines returns the content of the screen before wrapping.
func (p *Pane) lines() []line {
	var l lines
	l.theme = p.env.Theme
	switch p.step {
	case asking:
		for range 3 { // the place of the input field
			l.say("", l.theme.Text)
		}
		l.say("Every version is erased whose text or path holds this text, and it is masked in names, descriptions and conversations. It is shown here and kept nowhere.", l.theme.Text)
	case planning:
		l.say("", l.theme.Text)
		l.say("searching for what contains it…", l.theme.Dim)
	case deciding:
		p.planLines(&l)
	case erasing:
		p.erasingLines(&l)
	case finished:
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
	if live := p.plan.Current(); len(live) > 0 {
		l.say("! "+draw.Plural(len(live), "current memory contains it", "current memories contain it")+":", th.Warn)
		l.item(p.headsLine(len(live)), th.Text)
	}
	places := "To be erased or masked"
	if len(p.plan.Erase) > 0 {
		l.say("", th.Text)
		l.say("To be erased", th.Heading)
		places += " as well"
	}
	for _, v := range p.plan.Erase {
		l.item(p.versionLine(v), th.Text)
	}
	l.places(places, p.plan.Places, false)
	l.places("A redaction can't change these places, which contain it", p.plan.Places, true)
	if len(p.plan.Kept) > 0 {
		l.say("", th.Text)
		not := "Not part of this, though it holds the same"
		if p.storesDisabled() == "" {
			not += ": " + p.keys.Hint("all-stores") + " includes it"
		}
		l.say(not, th.Heading)
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

// places lists what contains the text, other than versions.
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

// headsLine returns what happens, or can happen, to n current memories.
func (p *Pane) headsLine(n int) string {
	it, are, get := "it", "is", "gets"
	if n > 1 {
		it, are, get = "them", "are", "get"
	}
	if !p.decided {
		s := "say what becomes of " + it + ": " + p.keys.Hint("delete") + " deletes " + it + ", " + p.keys.Hint("replace") + " replaces " + it
		if p.target.Match != nil {
			s += ", " + p.keys.Hint("mask") + " masks the text"
		}
		if p.target.Memory != "" {
			s += ", " + p.keys.Hint("past") + " erases only the past"
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
	if v.Current {
		s += " · current"
	}
	return s
}

// severalStores reports whether more than one store contains it.
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

// toneStyle returns the sign and the style of a line of the receipt.
func (l *lines) toneStyle(tone wording.Tone) (sign string, st theme.Style) {
	switch tone {
	case wording.Good:
		return "✓ ", l.theme.Good
	case wording.Bad:
		return "! ", l.theme.Error
	case wording.Open:
		return "… ", l.theme.Warn
	case wording.Doubt:
		return "? ", l.theme.Warn
	case wording.Aside:
		return "", l.theme.Dim
	}
	return "", l.theme.Text
}

func (p *Pane) receiptLines(l *lines) {
	th, r := p.env.Theme, p.receipt
	l.say("", th.Text)
	if r.ID == 0 {
		of := "No version contains it."
		if len(p.plan.Kept) > 0 {
			of = "No version of this store contains it."
		}
		l.say(of+" Nothing was changed.", th.Text)
	}
	all, erased := wording.Receipt(r), true
	for i, x := range all {
		sign, st := l.toneStyle(x.Tone)
		if acts := x.Tone == wording.Plain || x.Tone == wording.Listed; erased && !acts || i == len(all)-1 && x.Tone == wording.Aside {
			l.say("", th.Text) // before what the search found and before what it could not search
			erased = false
		}
		if x.Tone == wording.Listed {
			l.item(x.Text, st)
			continue
		}
		l.say(sign+sentence(x.Text), st)
	}
	if p.err != nil {
		l.say(p.err.Error(), th.Error)
	}
	if p.storesDisabled() == "" {
		l.say("", th.Text)
		l.say(p.keys.Hint("all-stores")+" plans the same for all stores of this home.", th.Text)
	}
}

// sentence returns a clause with a capital letter, and with a full stop unless a list follows.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if strings.HasSuffix(s, ":") {
		return s
	}
	return s + "."
}

// layOut wraps the lines. It is called when they may have changed, so that the cost of a move or
// a frame does not depend on their number.
func (p *Pane) layOut() {
	out := p.rows[:0]
	for _, l := range p.lines() {
		if l.text == "" {
			out = append(out, l)
			continue
		}
		hang := l.hang()
		width := max(p.w-l.lead-hang-1, 1)
		for i, row := range text.Rows(l.text, width, 40) {
			lead := l.lead
			if i > 0 {
				lead = min(lead+hang, p.w)
			}
			out = append(out, line{strings.TrimSuffix(row, " ·"), l.style, lead})
		}
	}
	p.rows = out
	p.scroll(0)
}

func (p *Pane) scroll(d int) { p.win.Scroll(d, len(p.rows)) }

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.win.H <= 0 {
		return ""
	}
	dst := make([]byte, 0, p.win.H*(p.w+16))
	for y := range p.win.H {
		if y > 0 {
			dst = append(dst, '\n')
		}
		switch i := p.win.Top + y; {
		case p.step == asking && y == 1 && p.w >= 8:
			dst = append(p.env.Theme.HintKey.Append(append(dst, ' '), "›"), ' ')
			dst, _ = p.input.Append(dst, p.w-5, p.env.Theme.Input)
			dst = text.Spaces(dst, 2)
			continue
		default:
			pen := draw.NewRow(dst, p.w)
			p.row(&pen, i)
			dst = pen.End()
		}
	}
	return string(dst)
}

func (p *Pane) row(pen *draw.Row, i int) {
	if i < 0 || i >= len(p.rows) {
		return
	}
	pen.Space(p.rows[i].lead)
	pen.Put(p.rows[i].text, p.rows[i].style)
}
