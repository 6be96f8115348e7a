package review

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
)

// why is the call that made what is shown, and what the agent said before it.
type why struct {
	of      string // what is shown
	session versions.SessionID
	call    string
	words   string
	did     string
	err     error
}

// known reports whether the conversation has the call.
func (w *why) known() bool { return w.words != "" || w.did != "" }

// shown identifies what is shown: a row, and in the diff a hunk of it.
func (p *Pane) shown() string {
	if !p.InDetail {
		return p.current().key()
	}
	i, _ := p.Diff.Hunk()
	return p.current().key() + " " + strconv.Itoa(i)
}

// explain says beside the hunk which call made it, and what the agent said before; the second time, it shows the conversation at that call.
func (p *Pane) explain(int) tea.Cmd {
	if p.because.of == p.shown() && p.because.known() {
		return p.env.Do(screen.Conversation{Session: p.because.session, Call: p.because.call})
	}
	r, w := p.current(), why{of: p.shown()}
	before := p.cfg.Before
	if r.held != nil {
		w.session, w.call = r.held.By.Session, r.held.By.ToolUse
	} else {
		v, _ := p.writer()
		w.session, w.call = v.Session, v.ToolUse
	}
	return p.whys.Begin(p.env.Ctx, func(ctx context.Context) (why, error) {
		w.words, w.did, w.err = before(ctx, w.session, w.call)
		w.words = lastWords(w.words)
		return w, nil
	}, func(w why, _ error) tea.Cmd {
		p.because = w
		p.Fit()
		return nil
	})
}

// maxWords is how many characters of what was said are shown beside a hunk: the last ones.
const maxWords = 300

// lastWords returns the end of a text in one line.
func lastWords(s string) string {
	words := []rune(strings.Join(strings.Fields(s), " "))
	if len(words) <= maxWords {
		return string(words)
	}
	cut := words[len(words)-maxWords:]
	if i := slices.Index(cut, ' '); i >= 0 {
		cut = cut[i+1:]
	}
	return "… " + string(cut)
}

// whyDisabled is for what no conversation can explain.
func (p *Pane) whyDisabled() string {
	switch r := p.current(); {
	case r == nil:
		return "nothing is listed"
	case p.cfg.Before == nil:
		return "no conversations are recorded here"
	case r.held == nil && p.detail.of != r.key():
		return "it is being read"
	case p.Session() == "":
		return "it belongs to no session"
	}
	return ""
}

// whyFacts says why, once that was asked for.
func (p *Pane) whyFacts() (out []split.Fact) {
	w, th := &p.because, p.env.Theme
	switch {
	case p.current() == nil || w.of != p.shown():
		return nil
	case w.err != nil:
		return []split.Fact{{Text: w.err.Error(), Style: th.Warn}}
	case !w.known():
		return []split.Fact{{Text: "its conversation is not recorded here", Style: th.Dim}}
	}
	if w.words != "" {
		out = append(out, split.Fact{Text: "it said: “" + w.words + "”", Style: th.Text})
	}
	return append(out, split.Fact{Text: "then: " + w.did + " · " + p.keys.Hint("why") + " shows the conversation", Style: th.Dim})
}
