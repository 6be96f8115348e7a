package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
)

// prompt asks for a line of text in the last row of the screen.
type prompt struct {
	label   string
	topic   string   // questions of one topic share what was typed; the label when empty
	example string   // shown while nothing is typed
	before  []string // what was typed here before, the oldest first
	back    int      // how far back in it one is
	own     string   // what was typed before one went back
	draw.Input
	then    func(string) tea.Cmd
	changed func(string) tea.Cmd // nil when nobody looks on
	left    func() tea.Cmd
}

// maxTyped is how many answers to one question are kept.
const maxTyped = 50

// ask puts a prompt in front. It knows what was answered before to the same question.
func (a *App) ask(p *prompt) {
	if p.topic == "" {
		p.topic = p.label
	}
	p.before = a.typed[p.topic]
	then := p.then
	p.then = func(s string) tea.Cmd {
		a.remember(p.topic, s)
		return then(s)
	}
	a.prompt = p
}

// remember keeps an answer, once.
func (a *App) remember(topic, s string) {
	if s == "" {
		return
	}
	list := slices.DeleteFunc(slices.Clone(a.typed[topic]), func(was string) bool { return was == s })
	list = append(list, s)
	a.typed[topic] = list[max(len(list)-maxTyped, 0):]
}

// promptKeys are what a prompt obeys beside typing.
var promptKeys = keys.New("prompt", nil, []keys.Action[*promptEnd]{
	{ID: "done", Name: "done", Keys: []string{"enter"}, Do: func(p *promptEnd, _ int) tea.Cmd { p.over = true; return p.then(p.Value) }},
	{ID: "leave", Name: "leave", Keys: []string{"esc", "ctrl+c"}, Do: (*promptEnd).leave},
	{ID: "before", Name: "what was typed before", Short: "before", Keys: []string{"up", "ctrl+p"}, Do: func(p *promptEnd, _ int) tea.Cmd { return p.goBack(1) }},
	{ID: "after", Name: "what was typed after", Short: "after", Keys: []string{"down", "ctrl+n"}, Do: func(p *promptEnd, _ int) tea.Cmd { return p.goBack(-1) }},
})

// promptEnd is a prompt while a key is obeyed.
type promptEnd struct {
	*prompt
	over bool
}

func (p *promptEnd) leave(int) tea.Cmd {
	p.over = true
	if p.left == nil {
		return nil
	}
	return p.left()
}

// goBack shows an answer that was given before, or again what was being typed.
func (p *promptEnd) goBack(d int) tea.Cmd {
	to := p.back + d
	if to < 0 || to > len(p.before) {
		return nil
	}
	if p.back == 0 {
		p.own = p.Value
	}
	p.back = to
	s := p.own
	if p.back > 0 {
		s = p.before[len(p.before)-p.back]
	}
	p.Input = draw.NewInput(s)
	if p.changed == nil {
		return nil
	}
	return p.changed(s)
}

func (p *prompt) Entries() []keys.Entry {
	none := map[string]bool{"prompt.before": p.back == len(p.before), "prompt.after": p.back == 0}
	return slices.DeleteFunc(promptKeys.Entries(&promptEnd{prompt: p}), func(e keys.Entry) bool { return none[e.ID] })
}

// update reports whether the prompt is over.
func (p *prompt) update(msg tea.Msg) (tea.Cmd, bool) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		end := &promptEnd{prompt: p}
		if cmd, r := promptKeys.Press(end, []string{k.String()}, 0); r == keys.Done {
			return cmd, end.over
		}
	}
	if p.Input.Update(msg) && p.changed != nil {
		return p.changed(p.Value), false
	}
	return nil, false
}

// view is the prompt in one row, and the cursor's column.
func (p *prompt) view(th *theme.Theme, width int) (string, int) {
	dst := append([]byte(nil), th.HintKey.On...)
	dst, cols := draw.ClipMore(dst, " "+p.label+": ", max(width*2/3, 1), th.HintKey)
	dst = append(dst, th.HintKey.Off...)
	if p.Value == "" && p.example != "" {
		pen := draw.Pen{W: max(width-cols, 0)}
		return string(pen.Space(pen.Put(dst, p.example, th.Dim), pen.W)), min(cols, max(width-1, 0))
	}
	dst, cur := p.Append(dst, width-cols, th.Input)
	return string(dst), cols + cur
}
