package dialog

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// Prompt asks for a line of text in the last row of the screen. Answers.NewPrompt returns one.
type Prompt struct {
	label   string
	example string   // shown while the input is empty
	before  []string // earlier answers, oldest first
	back    int      // steps back in before
	typed   string   // the input before the first step back
	draw.Input
	then    func(string) tea.Cmd
	changed func(string) tea.Cmd // may be nil
	left    func() tea.Cmd
	wider   func(string) tea.Cmd
}

// Answers are the earlier answers, by topic.
type Answers map[string][]string

// maxAnswers is how many answers to one question are kept.
const maxAnswers = 50

// NewPrompt returns a prompt with the earlier answers to the same question.
func (a Answers) NewPrompt(req screen.Prompt) *Prompt {
	topic := cmp.Or(req.Topic, req.Label)
	return &Prompt{
		label: req.Label, example: req.Example, before: a[topic], Input: draw.NewInput(req.Value), changed: req.Changed, left: req.Left, wider: req.Wider,
		then: func(s string) tea.Cmd {
			a.remember(topic, s)
			return req.Then(s)
		},
	}
}

// remember stores an answer, without duplicates.
func (a Answers) remember(topic, s string) {
	if s == "" {
		return
	}
	list := slices.DeleteFunc(slices.Clone(a[topic]), func(was string) bool { return was == s })
	list = append(list, s)
	a[topic] = list[max(len(list)-maxAnswers, 0):]
}

// promptKeys are the keys of a prompt, besides those that edit its text.
var promptKeys = keys.New("prompt", nil, []keys.Action[*promptEnd]{
	{ID: "done", Name: "done", Keys: []string{"enter"}, Do: func(p *promptEnd, _ int) tea.Cmd { p.over = true; return p.then(p.Value) }},
	{ID: "leave", Name: "leave", Keys: []string{"esc", "ctrl+c"}, Do: (*promptEnd).leave},
	{ID: "wider", Name: "more than this", Short: "more", Keys: []string{"tab"}, Why: (*promptEnd).widerDisabled, Do: func(p *promptEnd, _ int) tea.Cmd { p.over = true; return p.wider(p.Value) }},
	{ID: "before", Name: "what was typed before", Short: "before", Keys: []string{"up", "ctrl+p"}, Do: func(p *promptEnd, _ int) tea.Cmd { return p.goBack(1) }},
	{ID: "after", Name: "what was typed after", Short: "after", Keys: []string{"down", "ctrl+n"}, Do: func(p *promptEnd, _ int) tea.Cmd { return p.goBack(-1) }},
})

// promptEnd is a prompt while a key is handled.
type promptEnd struct {
	*Prompt
	over bool
}

func (p *promptEnd) leave(int) tea.Cmd {
	p.over = true
	if p.left == nil {
		return nil
	}
	return p.left()
}

func (p *promptEnd) widerDisabled() string {
	if p.wider == nil {
		return "there is nothing else to ask"
	}
	return ""
}

// goBack shows an earlier answer, or the text that was being typed.
func (p *promptEnd) goBack(d int) tea.Cmd {
	to := p.back + d
	if to < 0 || to > len(p.before) {
		return nil
	}
	if p.back == 0 {
		p.typed = p.Value
	}
	p.back = to
	s := p.typed
	if p.back > 0 {
		s = p.before[len(p.before)-p.back]
	}
	p.Input = draw.NewInput(s)
	if p.changed == nil {
		return nil
	}
	return p.changed(s)
}

// Entries returns the actions of a prompt, besides those that edit its text.
func (p *Prompt) Entries() []keys.Entry {
	none := map[string]bool{"prompt.before": p.back == len(p.before), "prompt.after": p.back == 0, "prompt.wider": p.wider == nil}
	return slices.DeleteFunc(promptKeys.Entries(&promptEnd{Prompt: p}), func(e keys.Entry) bool { return none[e.ID] })
}

// Update reports whether the prompt is closed.
func (p *Prompt) Update(msg tea.Msg) (tea.Cmd, bool) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		end := &promptEnd{Prompt: p}
		if cmd, r := promptKeys.Press(end, []string{k.String()}, 0); r == keys.Done {
			return cmd, end.over
		}
	}
	if p.Input.Update(msg) && p.changed != nil {
		return p.changed(p.Value), false
	}
	return nil, false
}

// View returns the prompt as one row, and the column of the cursor.
func (p *Prompt) View(th *theme.Theme, width int) (string, int) {
	dst := append([]byte(nil), th.HintKey.On...)
	dst, cols := draw.ClipMore(dst, " "+p.label+": ", max(width*2/3, 1), th.HintKey)
	dst = append(dst, th.HintKey.Off...)
	if p.Value == "" && p.example != "" {
		row := draw.NewRow(dst, max(width-cols, 0))
		row.Put(p.example, th.Dim)
		return string(row.End()), min(cols, max(width-1, 0))
	}
	dst, cur := p.Append(dst, width-cols, th.Input)
	return string(dst), cols + cur
}
