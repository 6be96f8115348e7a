package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/text"
)

// prompt asks for a line of text in the last row of the screen.
type prompt struct {
	label string
	draw.Input
	then    func(string) tea.Cmd
	changed func(string) tea.Cmd // nil when nobody looks on
	left    func() tea.Cmd
}

// promptKeys are what a prompt obeys beside typing.
var promptKeys = keys.New("prompt", nil, []keys.Action[*promptEnd]{
	{ID: "done", Name: "done", Keys: []string{"enter"}, Do: func(p *promptEnd, _ int) tea.Cmd { p.over = true; return p.then(p.Value) }},
	{ID: "leave", Name: "leave", Keys: []string{"esc", "ctrl+c"}, Do: (*promptEnd).leave},
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

func (p *prompt) Entries() []keys.Entry { return promptKeys.Entries(&promptEnd{prompt: p}) }

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
	dst, cols := text.ClipMore(dst, " "+p.label+": ", max(width*2/3, 1))
	dst = append(dst, th.HintKey.Off...)
	dst, cur := p.Append(dst, width-cols, th.Input)
	return string(dst), cols + cur
}
